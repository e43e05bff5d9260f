import { type Statement, statements } from '../../../src/contract/statements.js';
import { type Alteration, ofTexts, ofTimes, ofValues } from './alterations.js';
import type { ApiAnswer, ApiRequest, Delivery, Fault, Service } from './proxy.js';

type Json = Readonly<Record<string, unknown>>;
type Handler = (request: ApiRequest, service: Service) => Promise<ApiAnswer>;
/** Makes a fault anew for each run, because it may remember what it saw. */
type MakeFault = () => Fault;

const upsert = 'POST /v1/contacts';
const find = 'GET /v1/contacts/find';
const get = 'GET /v1/contacts/:id';
const update = 'PUT /v1/contacts/:id';
const remove = 'DELETE /v1/contacts/:id';
const send = 'POST /v1/transactional';
const track = 'POST /v1/events';
const subscribe = 'POST /v1/webhooks';
const subscriptions = 'GET /v1/webhooks';
const unsubscribe = 'DELETE /v1/webhooks/:id';
const templates = 'GET /v1/templates';
const ofContacts = [upsert, find, get, update, remove];
const endpoints = [...ofContacts, send, track, subscribe, subscriptions, unsubscribe, templates];

const bodyIn = ({ body }: { readonly body: string }): Json => (body === '' ? {} : JSON.parse(body));
const objectIn = (json: Json, name: string): Json => ({ ...Object(json[name]) });
const propertiesIn = (json: Json) => objectIn(json, 'properties');
const listIn = (json: Json, name: string): readonly Json[] => (Array.isArray(json[name]) ? json[name] : []);
const withBody = <Message extends { readonly body: string }>(message: Message, json: unknown): Message => ({
  ...message,
  body: JSON.stringify(json),
});
const without = (json: Json, name: string): Json =>
  Object.fromEntries(Object.entries(json).filter(([each]) => each !== name));
const isOfOther = ({ headers }: ApiRequest, { otherApiKey }: Service) =>
  headers.authorization === `Bearer ${otherApiKey}`;
const hasKey = ({ headers }: ApiRequest) => headers.authorization !== undefined;

const refusal = (status: number, code = 'invalid_request'): ApiAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code, message: 'Refused by the fault.' } }),
});

/** Handles the requests to these endpoints whose body can be read. `:id` is that of one contact or subscription. */
function on(named: string | readonly string[], handle: Handler): MakeFault {
  const patterns = [named].flat().map((each) => new RegExp(`^${each.replace(':id', '(?!find$)[^/]+')}$`));
  return () => ({
    api: (request, service) => {
      const isNamed = patterns.some((pattern) => pattern.test(`${request.method} ${request.path}`));
      return isNamed && request.body !== '{' ? handle(request, service) : service.ask(request);
    },
  });
}

/** Answers with another status. */
const status = (endpoint: string, from: number, to: number) =>
  on(endpoint, async (request, service) => {
    const answer = await service.ask(request);
    return answer.status === from ? { ...answer, status: to } : answer;
  });

/** Answers with another error code. */
const code = (endpoint: string, from: string, to: string) =>
  on(endpoint, async (request, service) => {
    const answer = await service.ask(request);
    return { ...answer, body: answer.body.replace(`"${from}"`, `"${to}"`) };
  });

/** Answers successes with another body. */
const answered = (endpoint: string, change: (json: Json) => unknown) =>
  on(endpoint, async (request, service) => {
    const answer = await service.ask(request);
    return answer.status >= 300 || answer.body === '' ? answer : withBody(answer, change(bodyIn(answer)));
  });

/** Answers otherwise what was carried out, where this says so of the request and the answer. */
const instead = (
  endpoint: string,
  isIt: (json: Json, answer: ApiAnswer, request: ApiRequest, service: Service) => boolean,
  change: (answer: ApiAnswer) => ApiAnswer,
) =>
  on(endpoint, async (request, service) => {
    const answer = await service.ask(request);
    return isIt(bodyIn(request), answer, request, service) ? change(answer) : answer;
  });

/** Refuses requests without carrying them out. */
const refused = (endpoint: string, isIt: (json: Json, request: ApiRequest) => boolean, answer: ApiAnswer) =>
  on(endpoint, async (request, service) => (isIt(bodyIn(request), request) ? answer : service.ask(request)));

/** Changes the properties that a contact is given. */
const written = (change: (properties: Json) => Json, to: readonly string[] = [upsert, update]) =>
  on(to, (request, service) => {
    const json = bodyIn(request);
    if (json.properties === undefined) return service.ask(request);
    return service.ask(withBody(request, { ...json, properties: change(propertiesIn(json)) }));
  });

/** Changes each value of a property. One that becomes `undefined` is dropped. */
const values = (change: (value: unknown) => unknown, to?: readonly string[]) =>
  written((properties) => {
    const entries = Object.entries(properties).map(([name, value]) => [name, change(value)]);
    return Object.fromEntries(entries);
  }, to);

/** Lets requests act with the key of the workspace where this says so. */
const openTo = (
  endpoint: string | readonly string[],
  isLetIn: (request: ApiRequest, service: Service) => boolean,
) =>
  on(endpoint, (request, service) => {
    const headers = { ...request.headers, authorization: `Bearer ${service.apiKey}` };
    return service.ask(isLetIn(request, service) ? { ...request, headers } : request);
  });

/** The faults that break a statement, by what each does. */
const breaking = (statement: Statement, made: Readonly<Record<string, MakeFault>>): readonly Row[] =>
  Object.entries(made).map(([by, make]) => [statement, by, make]);

/** Answers with these properties of the contact changed, but not its phone. */
const answeredValues = (endpoint: string, change: (value: unknown) => unknown) =>
  answered(endpoint, (json) => {
    const entries = Object.entries(propertiesIn(json)).map(([name, value]) => [
      name,
      name === 'phone' ? value : change(value),
    ]);
    return { ...json, properties: Object.fromEntries(entries) };
  });

/** Answers with a field of the body changed. */
const field = (endpoint: string, name: string, change: (value: unknown) => unknown) =>
  answered(endpoint, (json) => ({ ...json, [name]: change(json[name]) }));

/** Remembers the contacts that were answered, and answers with one of them in place of another. */
const neighbours =
  (endpoint: string, chosen: (others: readonly Json[], json: Json) => Json | undefined): MakeFault =>
  () => {
    const seen = new Map<unknown, Json>();
    return on([upsert, endpoint], async (request, service) => {
      const answer = await service.ask(request);
      if (answer.status >= 300 || isOfOther(request, service)) return answer;
      const json = bodyIn(answer);
      if (request.method === 'POST') seen.set(json.id, json);
      if (request.method === 'POST') return answer;
      const others = [...seen.values()].filter(({ id }) => id !== json.id);
      return withBody(answer, chosen(others, json) ?? json);
    })();
  };

const changedPhones: Readonly<Record<string, (phone: string) => unknown>> = {
  'of another': () => '+442071838750',
  'without its +': (phone) => phone.slice(1),
  'with spaces': (phone) => `${phone} `,
  'without its last digit': (phone) => phone.slice(0, -1),
  masked: (phone) => phone.replace(/\d{4}$/, '****'),
};
/** A fault for each change of a text. */
const each = (
  statement: Statement,
  what: string,
  changes: Readonly<Record<string, (text: string) => unknown>>,
  make: (change: Alteration['of']) => MakeFault,
): readonly Row[] =>
  Object.entries(changes).map(([how, change]) => [
    statement,
    `${what} ${how}`,
    make((value) => change(String(value))),
  ]);

const places: readonly (readonly [Statement, string, (change: Alteration['of']) => MakeFault])[] = [
  [statements.propertyTypes, 'is sent to create', (change) => values(change, [upsert])],
  [statements.getContact, 'is got', (change) => answeredValues(get, change)],
  [statements.propertyTypes, 'is sent to update', (change) => values(change, [update])],
  [statements.findByPhone, 'is found', (change) => answeredValues(find, change)],
  [statements.upsertAnswer, 'is answered', (change) => answeredValues(upsert, change)],
];

/** Each alteration of a value, at one of the places where a contact's values go. */
const valueFaults: readonly Row[] = ofValues.flatMap(({ by, of }, index) =>
  places
    .filter((_, turn) => turn === index % places.length)
    .map(([statement, when, make]): Row => [statement, `${by}, when it ${when}`, make(of)]),
);

const nameFaults: readonly Row[] = ofTexts
  .filter(({ by }) => /case|trim|255|compo|compat|accent|ASCII|UTF|Latin/.test(by))
  .map(({ by, of }) => [
    statements.propertyNames,
    `the name ${by}`,
    written((properties) =>
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [String(of(name)), value])),
    ),
  ]);

/** Each endpoint with the statuses of its success, and the statements that break with another status. */
const successes: readonly (readonly [Statement, string, readonly number[]])[] = [
  [statements.upsertCreates, upsert, [201]],
  [statements.upsertUpdates, upsert, [200]],
  [statements.findByPhone, find, [200, 201, 202, 204]],
  [statements.getContact, get, [200, 201, 202, 204]],
  [statements.updateContact, update, [200, 201, 202, 204]],
  [statements.deleteContact, remove, [204]],
  [statements.sendSucceeds, send, [200]],
  [statements.trackAccepted, track, [202]],
  [statements.subscribe, subscribe, [201]],
  [statements.listSubscriptions, subscriptions, [200, 201, 202, 204]],
  [statements.unsubscribe, unsubscribe, [204]],
  [statements.listTemplates, templates, [200, 201, 202, 204]],
];

/** Each status in place of the one that is right. */
const statusFaults: readonly Row[] = [
  ...successes.flatMap(([statement, endpoint, [right = 0, ...others]]) =>
    [200, 201, 202, 204, 302, 400, 404, 409, 500]
      .filter((other) => other !== right && !others.includes(other))
      // An event that is not accepted is not named by its contact.
      .filter((other) => statement !== statements.trackAccepted || other < 300)
      .map((other): Row => [statement, `${other} in place of ${right}`, status(endpoint, right, other)]),
  ),
  ...[204, 302, 400, 403, 410, 422, 500].map(
    (other): Row => [statements.findNobody, `${other}`, status(find, 404, other)],
  ),
  ...[200, 202, 400, 409, 410, 500].map(
    (other): Row => [statements.trackNobody, `${other}`, status(track, 404, other)],
  ),
  ...[200, 400, 403, 409, 500].map(
    (other): Row => [statements.sendOverQuota, `${other}`, status(send, 402, other)],
  ),
];

const contactFaults: readonly Row[] = [
  ...breaking(statements.contactId, {
    'an id that is left out': field(upsert, 'id', () => undefined),
    'an id that is a number': field(upsert, 'id', () => 42),
    'an id that is empty': field(upsert, 'id', () => ''),
  }),
  ...each(statements.phoneProperty, 'a phone', changedPhones, (change) =>
    answered(upsert, (json) => ({
      ...json,
      properties: { ...propertiesIn(json), phone: change(propertiesIn(json).phone) },
    })),
  ),
  ...breaking(statements.phoneProperty, {
    'no phone': answered(upsert, (json) => ({ ...json, properties: without(propertiesIn(json), 'phone') })),
  }),
  ...breaking(statements.deletionRemovesProperties, {
    'properties that outlive their contact': () => {
      const kept = new Map<unknown, Json>();
      return on(upsert, (request, service) => {
        const json = bodyIn(request);
        const properties = { ...kept.get(json.phone), ...propertiesIn(json) };
        kept.set(json.phone, properties);
        return service.ask(withBody(request, { ...json, properties }));
      })();
    },
  }),
  ...breaking(statements.upsertAnswer, {
    'the contact in an envelope': answered(upsert, (json) => ({ data: json })),
    'no body': instead(
      upsert,
      (_, { status: answer }) => answer < 300,
      (answer) => ({ ...answer, body: '' }),
    ),
    'a byte order mark before the body': instead(
      upsert,
      (_, { status: answer }) => answer < 300,
      (answer) => ({ ...answer, body: `\ufeff${answer.body}` }),
    ),
    'the content type of text': instead(
      upsert,
      () => true,
      (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }),
    ),
  }),
  ...breaking(statements.upsertIdempotent, {
    'a second contact at each upsert': () => {
      const seen = new Set<string>();
      let others = 0;
      return on(upsert, async (request, service) => {
        const { phone, ...json } = bodyIn(request);
        const owner = `${request.headers.authorization} ${phone}`;
        if (!seen.has(owner)) {
          seen.add(owner);
          return service.ask(request);
        }
        others += 1;
        const answer = await service.ask(withBody(request, { ...json, phone: `+4420718387${10 + others}` }));
        if (answer.status !== 201) return answer;
        const contact = bodyIn(answer);
        return withBody(answer, { ...contact, properties: { ...propertiesIn(contact), phone } });
      })();
    },
  }),
  ...breaking(statements.upsertChangesExisting, {
    'an upsert that changes nothing': () => {
      const known = new Set<unknown>();
      return on(upsert, (request, service) => {
        const { phone, properties } = bodyIn(request);
        const isChange = JSON.stringify(properties ?? {}).includes('Grace') && known.has(phone);
        known.add(phone);
        return service.ask(isChange ? withBody(request, { phone }) : request);
      })();
    },
  }),
  ...breaking(statements.upsertWithoutProperties, {
    'properties that are required': refused(
      upsert,
      (json, { body }) => json.properties === undefined && !/\+15551234567|\+1500555/.test(body),
      refusal(400),
    ),
  }),
  ...breaking(statements.findByPhone, {
    'a + that is decoded twice': on(find, (request, service) =>
      service.ask({ ...request, query: request.query.replace('%2B', '%20') }),
    ),
  }),
  ...([find, get] as const).flatMap((endpoint): readonly Row[] => {
    const statement = endpoint === find ? statements.findByPhone : statements.getContact;
    return [
      [statement, 'the id of nobody', field(endpoint, 'id', () => 'contact_of_somebody_else')],
      [statement, 'another contact', neighbours(endpoint, ([other]) => other)],
      [statement, 'the last contact', neighbours(endpoint, (others) => others.at(-1))],
      [
        statement,
        'the properties of another',
        neighbours(
          endpoint,
          ([other], json) =>
            other && { ...json, properties: { ...propertiesIn(other), phone: propertiesIn(json).phone } },
        ),
      ],
      [statement, 'the id in upper case', field(endpoint, 'id', (id) => String(id).toUpperCase())],
      [statement, 'nothing', answered(endpoint, () => null)],
    ];
  }),
  ...breaking(statements.findNobody, {
    '200 with an object that says so': instead(
      find,
      (_, answer) => answer.status === 404,
      (answer) => ({ ...answer, status: 200, body: '{"found":false,"contact":null}' }),
    ),
    '200 with null': instead(
      find,
      (_, answer) => answer.status === 404,
      (answer) => ({ ...answer, status: 200, body: 'null' }),
    ),
    'the contact that was made last': strangers(() => true),
    'a contact whose phone begins alike': strangers((phone, wanted) => phone.startsWith(wanted)),
    'a contact whose phone is the beginning': strangers((phone, wanted) => wanted.startsWith(phone)),
  }),
  ...breaking(statements.getContact, {
    'a contact whose id begins alike': () => {
      const ids = new Set<string>();
      return on([upsert, get], async (request, service) => {
        const answer = await service.ask(request);
        if (request.method === 'POST' && answer.status === 201) ids.add(String(bodyIn(answer).id));
        const wanted = request.path.split('/').at(-1) ?? '';
        const id = [...ids].find((each) => each.startsWith(wanted) || wanted.startsWith(each));
        return request.method === 'GET' && answer.status === 404 && id !== undefined
          ? service.ask({ ...request, path: request.path.replace(wanted, id) })
          : answer;
      })();
    },
  }),
  ...breaking(statements.updateContact, {
    'an update that changes nothing': on(update, (request, service) =>
      service.ask({ ...request, method: 'GET', body: '' }),
    ),
    'an update of all contacts': () => {
      const ids = new Set<string>();
      return on([upsert, update], async (request, service) => {
        const answer = await service.ask(request);
        if (request.method === 'POST' && answer.status === 201 && !isOfOther(request, service))
          ids.add(String(bodyIn(answer).id));
        if (request.method === 'PUT' && answer.status === 200 && !isOfOther(request, service))
          for (const id of ids) await service.ask({ ...request, path: `/v1/contacts/${id}` });
        return answer;
      })();
    },
    'an update that drops the others': () => {
      const kept = new Map<unknown, readonly string[]>();
      return on([find, get, update, remove], async (request, service) => {
        const { method, path } = request;
        if (method === 'PUT') kept.set(path.split('/').at(-1), Object.keys(propertiesIn(bodyIn(request))));
        const answer = await service.ask(request);
        if (answer.status >= 300 || answer.body === '') return answer;
        const json = bodyIn(answer);
        const names = kept.get(json.id);
        const properties = Object.entries(propertiesIn(json)).filter(
          ([name]) => names === undefined || name === 'phone' || names.includes(name),
        );
        return withBody(answer, { ...json, properties: Object.fromEntries(properties) });
      })();
    },
    'arrays united with those before': unitedArrays(),
  }),
  ...breaking(statements.deleteContact, {
    'all contacts are deleted': deletesAll(upsert, remove),
  }),
  ...breaking(statements.deletionIsFinal, {
    'a contact that stays': refused(remove, (_, request) => hasKey(request), {
      status: 204,
      headers: {},
      body: '',
    }),
  }),
];

/** Finds, where nobody has the phone, a contact that fits it otherwise. */
function strangers(fits: (phone: string, wanted: string) => boolean): MakeFault {
  return () => {
    const phones = new Set<string>();
    return on([upsert, find], async (request, service) => {
      const answer = await service.ask(request);
      if (request.method === 'POST' && answer.status === 201) phones.add(String(bodyIn(request).phone));
      const wanted = decodeURIComponent(request.query.split('=')[1] ?? '');
      const phone = [...phones].findLast((each) => fits(each, wanted));
      return request.method === 'GET' &&
        answer.status >= 400 &&
        !isOfOther(request, service) &&
        phone !== undefined
        ? service.ask({ ...request, query: `?phone=${encodeURIComponent(phone)}` })
        : answer;
    })();
  };
}

/** An update adds the texts of an array to those that there are. */
function unitedArrays(): MakeFault {
  return on(update, async (request, service) => {
    const before = propertiesIn(bodyIn(await service.ask({ ...request, method: 'GET', body: '' })));
    const entries = Object.entries(propertiesIn(bodyIn(request))).map(([name, value]) => [
      name,
      Array.isArray(value) ? [...new Set([...listIn(before, name), ...value])] : value,
    ]);
    return service.ask(withBody(request, { properties: Object.fromEntries(entries) }));
  });
}

/** One deletion deletes all that was made. */
function deletesAll(create: string, deletion: string): MakeFault {
  return () => {
    const ids = new Set<string>();
    return on([create, deletion], async (request, service) => {
      const answer = await service.ask(request);
      const isOwn = answer.status < 300 && hasKey(request) && !isOfOther(request, service);
      if (request.method === 'POST' && answer.status === 201 && isOwn) ids.add(String(bodyIn(answer).id));
      if (request.method === 'DELETE' && isOwn)
        for (const id of ids) await service.ask({ ...request, path: request.path.replace(/[^/]+$/, id) });
      return answer;
    })();
  };
}

const otherCodes = (statement: Statement, right: string): readonly Row[] =>
  [
    right.toUpperCase(),
    right.replace('_', '-'),
    right.replace('_', ''),
    `${right}_`,
    right.slice(0, -1),
    'error',
  ].map((other) => [statement, `the code ${other}`, code(send, right, other)]);

const isUnapproved = ({ templateId }: Json) => templateId === 'summer_sale';
const isBare = ({ variables }: Json, answer: ApiAnswer) =>
  answer.status === 422 && JSON.stringify(variables) === '{}';
const isRejected = ({ phone }: Json, answer: ApiAnswer) =>
  answer.status === 422 && String(phone).startsWith('+1500555');
const sendFaults: readonly Row[] = [
  ...['false', '"true"', '1', 'null', '"yes"'].map(
    (value): Row => [
      statements.sendSucceeds,
      `success: ${value}`,
      answered(send, () => ({ success: JSON.parse(value) })),
    ],
  ),
  ...breaking(statements.sendSucceeds, {
    'no success': answered(send, () => ({})),
  }),
  ...otherCodes(statements.sendOverQuota, 'quota_exceeded'),
  ...otherCodes(statements.sendToNobody, 'not_found'),
  ...otherCodes(statements.sendUnapproved, 'send_failed'),
  ...[200, 400, 402, 404, 500].flatMap((other): readonly Row[] => [
    [
      statements.sendUnapproved,
      `${other}`,
      instead(send, isUnapproved, (answer) => ({ ...answer, status: other })),
    ],
    [
      statements.sendBadVariables,
      `${other}`,
      instead(send, isBare, (answer) => ({ ...answer, status: other })),
    ],
    [
      statements.sendProviderIssue,
      `${other}`,
      instead(send, isRejected, (answer) => ({ ...answer, status: other })),
    ],
  ]),
  ...breaking(statements.sendToNobody, {
    'a send to a phone that begins alike': instead(
      send,
      ({ phone }, { status: answer }) => answer === 404 && String(phone).length === 11,
      (answer) => ({
        ...answer,
        status: 200,
        body: '{"success":true}',
      }),
    ),
  }),
];

/** Refuses events that name their contact by this field alone, and have no properties. */
const refusedFor = (name: string) =>
  instead(
    track,
    (json, answer) =>
      answer.status === 202 &&
      json[name] !== undefined &&
      json.properties === undefined &&
      !('phone' in json && 'contactId' in json),
    () => refusal(400),
  );

const eventFaults: readonly Row[] = [
  ...['false', '"true"', '1', 'null'].map(
    (value): Row => [
      statements.trackAccepted,
      `accepted: ${value}`,
      answered(track, () => ({ accepted: JSON.parse(value) })),
    ],
  ),
  ...breaking(statements.trackByContactId, {
    '400': refusedFor('contactId'),
  }),
  ...breaking(statements.trackByPhone, {
    '400': refusedFor('phone'),
  }),
  ...(
    [
      ['nested', (value) => typeof value === 'object' && value !== null],
      ['null', (value) => value === null],
      ['fractional', (value) => typeof value === 'number' && !Number.isInteger(value)],
      ['long', (value) => typeof value === 'string' && value.length > 1_000],
    ] satisfies readonly (readonly [string, (value: unknown) => boolean])[]
  ).map(
    ([by, isIt]): Row => [
      statements.trackProperties,
      `${by} properties that are refused`,
      instead(
        track,
        (json, answer) => answer.status === 202 && Object.values(propertiesIn(json)).some(isIt),
        () => refusal(400),
      ),
    ],
  ),
  ...breaking(statements.trackNobody, {
    '202 for everybody': instead(
      track,
      (_, answer, request, service) =>
        answer.status === 404 && hasKey(request) && !isOfOther(request, service),
      (answer) => ({ ...answer, status: 202, body: '{"accepted":true}' }),
    ),
  }),
  ...(['phone', 'contactId'] as const).map(
    (name): Row => [
      statements.trackNobody,
      `202 for a ${name} that begins alike`,
      () => {
        const known = new Set<string>();
        return on(track, async (request, service) => {
          const answer = await service.ask(request);
          const value = String(bodyIn(request)[name]);
          if (answer.status === 202) known.add(value);
          const isAlike = [...known].some((each) => each.startsWith(value) || value.startsWith(each));
          return answer.status === 404 && isAlike && !isOfOther(request, service) && name in bodyIn(request)
            ? { ...answer, status: 202, body: '{"accepted":true}' }
            : answer;
        })();
      },
    ],
  ),
  ...breaking(statements.trackAfterCreation, {
    'a refusal that is remembered': () => {
      const unknown = new Set<unknown>();
      return on(track, async (request, service) => {
        const { phone } = bodyIn(request);
        const answer = await service.ask(request);
        if (answer.status === 404 && phone !== undefined) unknown.add(phone);
        return unknown.has(phone) ? refusal(404, 'not_found') : answer;
      })();
    },
  }),
];

const listed = (change: (subscription: Json) => unknown) =>
  answered(subscriptions, (json) => ({ data: listIn(json, 'data').map(change) }));

const webhookFaults: readonly Row[] = [
  ...(
    [
      ['id', 42],
      ['id', ''],
      ['id', undefined],
      ['url', undefined],
      ['url', ['https://example.com/']],
      ['events', 'message.received'],
      ['events', [1]],
      ['events', null],
      ['enabled', 'true'],
      ['enabled', 1],
      ['enabled', undefined],
    ] satisfies readonly (readonly [string, unknown])[]
  ).map(
    ([name, value]): Row => [
      statements.subscriptionFields,
      `${name}: ${JSON.stringify(value)}`,
      field(subscribe, name, () => value),
    ],
  ),
  ...breaking(statements.subscriptionCreatedAt, {
    'an ISO string': field(subscribe, 'createdAt', (at) => new Date(Number(at)).toISOString()),
    'a text': field(subscribe, 'createdAt', String),
    'a fraction': field(subscribe, 'createdAt', (at) => Number(at) + 0.5),
    none: field(subscribe, 'createdAt', () => undefined),
  }),
  ...ofTimes.map(
    ({ by, of }): Row => [statements.subscriptionCreatedAt, by, field(subscribe, 'createdAt', of)],
  ),
  ...breaking(statements.subscribe, {
    'another url': field(subscribe, 'url', () => 'https://example.com/'),
    'a url in lower case': field(subscribe, 'url', (url) => String(url).toLowerCase()),
    'a decoded url': field(subscribe, 'url', (url) => decodeURIComponent(String(url))),
    'a url without its query': field(subscribe, 'url', (url) => String(url).split('?')[0]),
    'a url with a slash': field(subscribe, 'url', (url) => `${url}/`),
    'events sorted': field(subscribe, 'events', (events) => [...[events].flat()].sort()),
    'the first event': field(subscribe, 'events', (events) => [events].flat().slice(0, 1)),
    'all events': field(subscribe, 'events', () => [
      'message.received',
      'contact.opted_in',
      'contact.opted_out',
    ]),
    'events in upper case': field(subscribe, 'events', (events) =>
      [events].flat().map((event) => String(event).toUpperCase()),
    ),
    'the same id twice': field(subscribe, 'id', () => 'subscription'),
  }),
  ...each(
    statements.subscribeSecret,
    'a secret',
    {
      'without prefix': (secret) => secret.replace('whsec_', ''),
      'with its prefix in upper case': (secret) => secret.replace('whsec_', 'WHSEC_'),
      'that is its prefix': () => 'whsec_',
      'that is masked': () => '********',
      'after a space': (secret) => ` ${secret}`,
      'that is missing': () => undefined,
    },
    (change) => field(subscribe, 'secret', change),
  ),
  ...breaking(statements.listSubscriptions, {
    'an empty list': answered(subscriptions, () => ({ data: [] })),
    'only the last': answered(subscriptions, (json) => ({ data: listIn(json, 'data').slice(-1) })),
    'another url': listed((one) => ({ ...one, url: 'https://example.com/' })),
    'all events': listed((one) => ({
      ...one,
      events: ['message.received', 'contact.opted_in', 'contact.opted_out'],
    })),
    'the url of another': answered(subscriptions, (json) => ({
      data: listIn(json, 'data').map((one, index, all) => ({
        ...one,
        url: all[(index + 1) % all.length]?.url,
      })),
    })),
    'not enabled': listed((one) => ({ ...one, enabled: false })),
    'another time': listed((one) => ({ ...one, createdAt: Number(one.createdAt) + 3_600_000 })),
  }),
  ...breaking(statements.unsubscribe, {
    'all subscriptions are deleted': deletesAll(subscribe, unsubscribe),
    'a subscription that stays': () => {
      const kept: Json[] = [];
      return on([subscriptions, unsubscribe], async (request, service) => {
        const answer = await service.ask(request);
        if (request.method === 'DELETE') {
          if (answer.status === 204) kept.push({ id: request.path.split('/').at(-1) });
          return answer;
        }
        if (answer.status !== 200 || isOfOther(request, service)) return answer;
        return withBody(answer, { data: [...listIn(bodyIn(answer), 'data'), ...kept] });
      })();
    },
  }),
  ...breaking(statements.subscriptionEnabled, {
    'enabled: false': field(subscribe, 'enabled', () => false),
  }),
  ...breaking(statements.templateId, {
    'an id that is a number': answered(templates, (json) => ({
      data: [...listIn(json, 'data'), { id: 42 }],
    })),
    'no ids': answered(templates, (json) => ({
      data: listIn(json, 'data').map((one) => without(one, 'id')),
    })),
  }),
  ...breaking(statements.listTemplates, {
    'an object': answered(templates, () => ({})),
  }),
  ...['upper case', 'cut', 'in quotes', 'left out'].map(
    (how): Row => [
      statements.listTemplates,
      `the id of the approved one ${how}`,
      answered(templates, (json) => ({
        data: listIn(json, 'data').flatMap((one) => {
          const id = String(one.id);
          const changed = { 'upper case': id.toUpperCase(), cut: id.slice(0, -1), 'in quotes': `"${id}"` }[
            how
          ];
          return changed === undefined && id === 'order_update' ? [] : [{ ...one, id: changed ?? id }];
        }),
      })),
    ],
  ),
];

const openToOther = (endpoint: string) => openTo(endpoint, isOfOther);
/** Lets a key in that looks like the right one. */
const openToKey = (by: string, isKey: (key: string, right: string) => boolean): Row => [
  statements.keyValid,
  by,
  openTo(endpoints, ({ headers }, { apiKey }) =>
    isKey(headers.authorization?.slice('Bearer '.length) ?? '', apiKey),
  ),
];

const accessFaults: readonly Row[] = [
  ...breaking(statements.keyAccepted, {
    '403 for everybody': () => ({ api: async () => refusal(403, 'forbidden') }),
    '401 for everybody': () => ({ api: async () => refusal(401, 'unauthorized') }),
  }),
  ...endpoints.map(
    (each): Row => [
      statements.keyRequired,
      `${each} without a key`,
      openTo(each, (request) => !hasKey(request)),
    ],
  ),
  openToKey('any key', (key) => key.includes('made-up')),
  openToKey('a key that is the beginning of it', (key, right) => key.length > 5 && right.startsWith(key)),
  openToKey('a key that begins with it', (key, right) => key.startsWith(right)),
  openToKey('a key in another case', (key, right) => key.toLowerCase() === right.toLowerCase()),
  openToKey(
    'a key that is as long',
    (key, right) => key.length === right.length && key !== right && key.toLowerCase() === right.toLowerCase(),
  ),
  ...breaking(statements.contactsOwned, {
    'find for everybody': openToOther(find),
    'get for everybody': openToOther(get),
  }),
  ...breaking(statements.contactsNotUpdated, {
    'update for everybody': openToOther(update),
  }),
  ...breaking(statements.contactsNotDeleted, {
    'delete for everybody': openToOther(remove),
  }),
  ...breaking(statements.contactsNotSentTo, {
    'sends for everybody': openToOther(send),
  }),
  ...breaking(statements.subscriptionsNotDeleted, {
    'deletions for everybody': openToOther(unsubscribe),
  }),
  ...breaking(statements.eventsOwned, {
    'events for everybody': openToOther(track),
    'events for everybody, by phone': openTo(
      track,
      (request, service) => isOfOther(request, service) && bodyIn(request).phone !== undefined,
    ),
  }),
  ...breaking(statements.subscriptionsOwned, {
    'one list for everybody': openToOther(subscriptions),
  }),
];

type Deliver = (delivery: Delivery, service: Service) => Promise<number>;

const signed = (delivery: Delivery, { sign }: Service): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, 'x-service-signature': sign(delivery) },
});

/** Handles the deliveries. */
const delivering =
  (delivery: Deliver): MakeFault =>
  () => ({ delivery });

/** Changes what every delivery says, and signs it anew. */
const delivered = (change: (json: Json) => unknown) =>
  delivering((delivery, service) =>
    service.deliver(signed(withBody(delivery, change(bodyIn(delivery))), service)),
  );

/** Acknowledges some deliveries without making them. */
const swallowed = (isIt: (json: Json, delivery: Delivery) => boolean) =>
  delivering(async (delivery, service) =>
    isIt(bodyIn(delivery), delivery) ? 200 : service.deliver(delivery),
  );

/** Makes deliveries with other headers. */
const withHeaders = (
  change: (headers: Readonly<Record<string, string>>, service: Service) => Record<string, string>,
) =>
  delivering((delivery, service) =>
    service.deliver({ ...delivery, headers: change(delivery.headers, service) }),
  );

const withSignature = (change: (hexadecimal: string) => string) =>
  withHeaders(({ 'x-service-signature': signature = '', ...headers }) => ({
    ...headers,
    'x-service-signature': change(signature),
  }));

const isMessage = ({ event }: Json) => event === 'message.received';
const messages = (change: (data: Json) => Json) =>
  delivered((json) => (isMessage(json) ? { ...json, data: change(objectIn(json, 'data')) } : json));
const envelopes = (change: (json: Json) => Json) => delivered((json) => ({ ...json, ...change(json) }));

/** Passes each delivery on, and takes another answer of the receiver for its own, by the number of the attempt. */
const takenFor =
  (change: (answer: number, attempt: number, path: string) => number): MakeFault =>
  () => {
    const attempts = new Map<string, number>();
    return {
      async delivery(delivery, service) {
        const attempt = (attempts.get(delivery.url) ?? 0) + 1;
        attempts.set(delivery.url, attempt);
        const answer = await service.deliver(delivery).catch(() => 599);
        return change(answer, attempt, delivery.url.split('/').at(-1) ?? '');
      },
    };
  };

const retryFaults: readonly Row[] = [
  ...[400, 401, 403, 404, 408, 409, 410, 422, 429, 500, 503].map(
    (failure): Row => [
      statements.deliveryRetries,
      `${failure} taken for a success`,
      takenFor((answer) => (answer === failure ? 200 : answer)),
    ],
  ),
  ...['301', '302', '307'].map(
    (redirect): Row => [
      statements.deliveryRetries,
      `the redirect ${redirect} taken for a success`,
      takenFor((answer, _, path) => (path === `fails-redirect-${redirect}` ? 200 : answer)),
    ],
  ),
  ...breaking(statements.deliveryRetries, {
    'any redirect taken for a success': takenFor((answer, _, path) =>
      path.includes('redirect') ? 200 : answer,
    ),
    '4xx that is not retried': takenFor((answer) => (answer >= 400 && answer < 500 ? 200 : answer)),
    '5xx that is not retried': takenFor((answer) => ([500, 503].includes(answer) ? 200 : answer)),
    'no retry': takenFor(() => 200),
    'one retry': takenFor((answer, attempt) => (attempt === 2 ? 200 : answer)),
    'a fourth attempt, later': () => {
      const failures = new Map<string, number>();
      return {
        async delivery(delivery, service) {
          const answer = await service.deliver(delivery);
          const count = (failures.get(delivery.url) ?? 0) + (answer >= 400 ? 1 : 0);
          failures.set(delivery.url, count);
          if (answer === 503 && count === 3) service.later(() => service.deliver(delivery));
          return answer;
        },
      };
    },
  }),
  ...[200, 201, 202, 204, 206, 299].map(
    (success): Row => [
      statements.deliveryAcknowledged,
      `${success} taken for a failure`,
      takenFor((answer) => (answer === success ? 500 : answer)),
    ],
  ),
  ...breaking(statements.deliveryAcknowledged, {
    'only 200 taken for a success': takenFor((answer) => (answer === 200 ? 200 : 500)),
    'a second delivery at once': delivering(async (delivery, service) => {
      const answer = await service.deliver(delivery);
      return answer === 202 ? service.deliver(delivery) : answer;
    }),
  }),
  ...breaking(statements.retryThatSucceeds, {
    'a success that is retried': takenFor((answer, attempt, path) =>
      path === 'recovers' && attempt === 2 ? 500 : answer,
    ),
    'no retry': takenFor((answer, _, path) => (path === 'recovers' ? 200 : answer)),
  }),
  ...breaking(statements.deliveryTimeout, {
    'a late answer taken for a success': takenFor((answer, _, path) =>
      path === 'fails-late' ? 200 : answer,
    ),
  }),
  ...breaking(statements.deliveryUnreachable, {
    'a cut connection taken for a success': takenFor((answer) => (answer === 599 ? 200 : answer)),
  }),
  ...breaking(statements.retryBackoff, {
    'retries at once': delivering(async (delivery, service) => {
      let answer = await service.deliver(delivery).catch(() => 500);
      for (let retries = 0; retries < 2 && answer >= 300; retries += 1)
        answer = await service.deliver(delivery).catch(() => 500);
      return 200;
    }),
  }),
];

const isChanged = (json: Json, name: string, change: Alteration['of']) =>
  isMessage(json)
    ? { ...json, data: { ...objectIn(json, 'data'), [name]: change(objectIn(json, 'data')[name]) } }
    : json;
const inMessages = (name: string, change: Alteration['of']) =>
  delivered((json) => isChanged(json, name, change));
const inTimes = (change: Alteration['of']) => (time: unknown) =>
  new Date(Number(change(Date.parse(String(time))))).toISOString();
const formats: Readonly<Record<string, (time: string) => unknown>> = {
  'without milliseconds': (time) => time.replace(/\.\d+Z$/, 'Z'),
  'with microseconds': (time) => time.replace('Z', '000Z'),
  'with an offset': (time) => time.replace('Z', '+00:00'),
  'without its zone': (time) => time.replace('Z', ''),
  'with a space': (time) => time.replace('T', ' '),
  'in lower case': (time) => time.toLowerCase(),
  'as a number': (time) => Date.parse(time),
  'of RFC 1123': (time) => new Date(time).toUTCString(),
  'that is missing': () => undefined,
};
const changedIds: Readonly<Record<string, (id: string) => unknown>> = {
  'of nobody': () => 'contact_of_nobody',
  'in upper case': (id) => id.toUpperCase(),
  'without its last character': (id) => id.slice(0, -1),
  'that is doubled': (id) => id + id,
  'as a number': () => 42,
  'that is empty': () => '',
};
const deliveryFaults: readonly Row[] = [
  ...ofTexts
    .filter(({ by }) => !by.endsWith('empty'))
    .map(({ by, of }): Row => [statements.messageData, `the body: ${by}`, inMessages('body', of)]),
  ...['conversationId', 'messageId', 'contactId', 'phone', 'type', 'body', 'receivedAt'].flatMap(
    (name): readonly Row[] => [
      [statements.messageData, `no ${name}`, messages((data) => without(data, name))],
      [statements.messageData, `${name}: null`, inMessages(name, () => null)],
      [statements.messageData, `${name}: a number`, inMessages(name, () => 42)],
    ],
  ),
  ...breaking(statements.messageData, {
    'one messageId for all': inMessages('messageId', () => 'message'),
    'another messageId each time': (() => {
      let count = 0;
      return inMessages('messageId', (id) => `${id}${count++}`);
    })(),
  }),
  ...each(statements.messageData, 'a contactId', changedIds, (change) => inMessages('contactId', change)),
  ...each(statements.messageData, 'a phone', changedPhones, (change) => inMessages('phone', change)),
  ...each(statements.messageData, 'a receivedAt', formats, (change) => inMessages('receivedAt', change)),
  ...ofTimes.map(
    ({ by, of }): Row => [statements.messageData, `receivedAt, ${by}`, inMessages('receivedAt', inTimes(of))],
  ),
  ...ofTimes.map(
    ({ by, of }): Row => [
      statements.deliveryTimestamp,
      by,
      envelopes(({ timestamp }) => ({ timestamp: inTimes(of)(timestamp) })),
    ],
  ),
  ...Object.entries(formats)
    .filter(([how]) => !/number|missing/.test(how))
    .map(
      ([how, change]): Row => [
        statements.deliveryTimestamp,
        `a timestamp ${how}`,
        envelopes(({ timestamp }) => ({ timestamp: change(String(timestamp)) })),
      ],
    ),
  ...(['message.received', 'contact.opted_in', 'contact.opted_out'] as const).flatMap(
    (event): readonly Row[] => {
      const statement = {
        'message.received': statements.messageReceived,
        'contact.opted_in': statements.optedIn,
        'contact.opted_out': statements.optedOut,
      }[event];
      return [
        [statement, 'no delivery', swallowed((json) => json.event === event)],
        ...[event.toUpperCase(), event.replace('.', '_'), event.slice(0, -1), ` ${event}`].map(
          (other): Row => [
            statement,
            `the name ${other}`,
            envelopes((json) => ({ event: json.event === event ? other : json.event })),
          ],
        ),
      ];
    },
  ),
  ...breaking(statements.messageReceived, {
    'no delivery of STOP': swallowed((json) => isMessage(json) && objectIn(json, 'data').body === 'STOP'),
  }),
  ...breaking(statements.deliveryRequest, {
    PUT: delivering(
      async ({ url, headers, body }) =>
        (await fetch(url, { method: 'PUT', headers: { ...headers }, body })).status,
    ),
    'the content type of forms': withHeaders((headers) => ({
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
    })),
    'a list': delivered((json) => [json]),
    'a byte order mark before the body': delivering((delivery, service) =>
      service.deliver(signed({ ...delivery, body: `\ufeff${delivery.body}` }, service)),
    ),
  }),
  ...breaking(statements.deliveryOfSubscribed, {
    'messages to everybody': delivering(async (delivery, service) => {
      const json = bodyIn(delivery);
      if (json.event === 'contact.opted_out')
        await service.deliver(signed(withBody(delivery, { ...json, event: 'contact.opted_in' }), service));
      return service.deliver(delivery);
    }),
  }),
  ...breaking(statements.deliveryToEach, {
    'only the first': swallowed((_, { url }) => url.endsWith('/received')),
    'only the second': swallowed((_, { url }) => url.endsWith('/received-too')),
    'one message to one of them': swallowed(
      (json, { url }) => url.endsWith('/received-too') && objectIn(json, 'data').body === 'STOP',
    ),
  }),
  ...['event', 'workspaceId', 'timestamp', 'data'].flatMap((name): readonly Row[] => [
    [statements.deliveryBody, `no ${name}`, delivered((json) => without(json, name))],
    [statements.deliveryBody, `${name}: a number`, envelopes(() => ({ [name]: 42 }))],
  ]),
  ...breaking(statements.deliveryBody, {
    'data as a string': envelopes(({ data }) => ({ data: JSON.stringify(data) })),
    'another workspace each time': (() => {
      let count = 0;
      return envelopes(() => ({ workspaceId: `workspace_${count++}` }));
    })(),
  }),
  ...breaking(statements.deliveryEnds, {
    'one more': () => {
      let deletedUrl: string | undefined;
      return {
        async delivery(delivery, service) {
          if (delivery.url.endsWith('/received')) deletedUrl ??= delivery.url;
          if (delivery.body.includes('Hello again') && deletedUrl !== undefined)
            await service.deliver(signed({ ...delivery, url: deletedUrl }, service));
          return service.deliver(delivery);
        },
      };
    },
  }),
  ...breaking(statements.signatureHeader, {
    none: withHeaders(({ 'x-service-signature': _, ...headers }) => headers),
    'another name': withHeaders(({ 'x-service-signature': signature = '', ...headers }) => ({
      ...headers,
      'x-signature': signature,
    })),
    'an empty one': withSignature(() => ''),
  }),
  ...each(
    statements.signature,
    'a signature',
    {
      'in Base64': (hexadecimal) => Buffer.from(hexadecimal, 'hex').toString('base64'),
      'with the name of its hash': (hexadecimal) => `sha256=${hexadecimal}`,
      'without its last digit': (hexadecimal) => hexadecimal.slice(0, -1),
      'with one digit more': (hexadecimal) => `${hexadecimal}0`,
      reversed: (hexadecimal) => [...hexadecimal].reverse().join(''),
      'of zeros': () => '0'.repeat(64),
    },
    (change) => withSignature((hexadecimal) => String(change(hexadecimal))),
  ),
  ...each(
    statements.signature,
    'the body',
    {
      'written anew': (body) => JSON.stringify(JSON.parse(body), null, 1),
      'with a line end': (body) => `${body}\n`,
      'with its characters escaped': (body) =>
        body.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    },
    (change) =>
      delivering((delivery, service) =>
        service.deliver({ ...delivery, body: String(change(delivery.body)) }),
      ),
  ),
  ...breaking(statements.signature, {
    'the secret of another subscription': delivering((delivery, service) => {
      const url = service.urls.find((other) => other !== delivery.url) ?? '';
      return service.deliver({
        ...delivery,
        headers: { ...delivery.headers, 'x-service-signature': service.sign({ ...delivery, url }) },
      });
    }),
  }),
  ...breaking(statements.signatureInsteadOfKey, {
    'the key elsewhere': withHeaders((headers, { apiKey }) => ({ ...headers, 'x-api-key': apiKey })),
    'the key': withHeaders((headers, { apiKey }) => ({ ...headers, authorization: `Bearer ${apiKey}` })),
  }),
  ...breaking(statements.trackedNotDelivered, {
    'a delivery': on(track, async (request, service) => {
      const answer = await service.ask(request);
      const { event, properties: data = {} } = bodyIn(request);
      const url = service.urls.find((other) => other.endsWith('/received'));
      if (answer.status === 202 && url !== undefined) {
        const body = JSON.stringify({ event, workspaceId: 'w', timestamp: new Date().toISOString(), data });
        await service.deliver(
          signed({ url, headers: { 'content-type': 'application/json' }, body }, service),
        );
      }
      return answer;
    }),
  }),
];

/** A statement that a fault breaks, what the fault does, and the fault, made anew for each run. */
type Row = readonly [breaks: Statement, by: string, make: MakeFault];

/** Behaviours that are broken on purpose: at least one for every statement that can be broken. */
export const faults: readonly Row[] = [
  ...valueFaults,
  ...nameFaults,
  ...statusFaults,
  ...contactFaults,
  ...sendFaults,
  ...eventFaults,
  ...webhookFaults,
  ...accessFaults,
  ...deliveryFaults,
  ...retryFaults,
];
