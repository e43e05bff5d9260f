import { statements } from '../../../src/contract/statements.js';
import { type Alterations, type Change, ofTexts, ofTimes, ofValues, textAlterations } from './alterations.js';
import type { ApiRequest, ApiResponse, Delivery, Fault, Service } from './proxy.js';

type Json = Readonly<Record<string, unknown>>;
/** `seen` is empty when a run begins. */
type Handler = (request: ApiRequest, service: Service, seen: Set<string>) => Promise<ApiResponse>;
/** Makes a fault anew for each run, because it may remember what it saw. */
type MakeFault = () => Fault;
/** Faults, by what each does. */
type Faults = Readonly<Record<string, MakeFault>>;

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
const mapped = (json: Json, change: (name: string, value: unknown) => readonly [string, unknown]): Json =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => change(name, value)));
const lastOf = ({ path }: ApiRequest) => path.split('/').at(-1) ?? '';
const hasKey = ({ headers }: ApiRequest) => headers.authorization !== undefined;
const isOfOther = ({ headers }: ApiRequest, { otherApiKey }: Service) =>
  headers.authorization === `Bearer ${otherApiKey}`;
const isAlike = (one: string, other: string) => one.startsWith(other) || other.startsWith(one);

const refusal = (status: number, code = 'invalid_request'): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code, message: 'Refused by the fault.' } }),
});

/** Another status, and perhaps another body. */
const as =
  (status: number, body?: string) =>
  (response: ApiResponse): ApiResponse => ({ ...response, status, body: body ?? response.body });

/** Handles the requests to these endpoints whose body can be read. `:id` is that of one contact or subscription. */
function on(named: string | readonly string[], handle: Handler): MakeFault {
  const patterns = [named].flat().map((each) => new RegExp(`^${each.replace(':id', '(?!find$)[^/]+')}$`));
  return () => {
    const seen = new Set<string>();
    return {
      api: (request, service) => {
        const isNamed = patterns.some((pattern) => pattern.test(`${request.method} ${request.path}`));
        return isNamed && request.body !== '{' ? handle(request, service, seen) : service.ask(request);
      },
    };
  };
}

/** A fault for each of these values. `%` in the name of the fault stands for the value. */
const each = <Value>(by: string, of: readonly Value[], make: (value: Value) => MakeFault): Faults =>
  Object.fromEntries(of.map((value) => [by.replace('%', String(value)), make(value)]));

/** A fault for each of these changes of a value. */
const altered = (by: string, changes: Alterations, make: (change: Change) => MakeFault): Faults =>
  Object.fromEntries(Object.entries(changes).map(([how, change]) => [by.replace('%', how), make(change)]));

const picked = (changes: Alterations, by: RegExp): Alterations =>
  Object.fromEntries(Object.entries(changes).filter(([how]) => by.test(how)));

/** Responds differently from what was carried out, where this says so of the request and the response. */
const instead = (
  endpoint: string,
  isIt: (json: Json, response: ApiResponse, request: ApiRequest, service: Service) => boolean,
  change: (response: ApiResponse) => ApiResponse,
) =>
  on(endpoint, async (request, service) => {
    const response = await service.ask(request);
    return isIt(bodyIn(request), response, request, service) ? change(response) : response;
  });
const isNotFound = (_: Json, { status }: ApiResponse) => status === 404;

/** Responds to a successful upsert with something else. */
const otherUpsert = (change: (response: ApiResponse) => Partial<ApiResponse>) =>
  instead(
    upsert,
    (_, response) => response.status < 300,
    (response) => ({ ...response, ...change(response) }),
  );

/** Responds with another status. */
const status = (endpoint: string, from: number, to: number) =>
  instead(endpoint, (_, response) => response.status === from, as(to));

/** Responds with another error code. */
const code = (endpoint: string, from: string, to: string) =>
  instead(
    endpoint,
    () => true,
    (response) => ({ ...response, body: response.body.replace(`"${from}"`, `"${to}"`) }),
  );

/** Responds to successes with another body. */
const responded = (endpoint: string, change: (json: Json) => unknown) =>
  instead(
    endpoint,
    (_, response) => response.status < 300 && response.body !== '',
    (response) => withBody(response, change(bodyIn(response))),
  );

/** Responds with a field of the body changed. */
const field = (endpoint: string, name: string, change: (value: unknown) => unknown) =>
  responded(endpoint, (json) => ({ ...json, [name]: change(json[name]) }));

/** Responds with these properties of the contact changed, but not its phone. */
const returnedValues = (endpoint: string, change: Change) =>
  field(endpoint, 'properties', (properties) =>
    mapped(Object(properties), (name, value) => [name, name === 'phone' ? value : change(value)]),
  );

/** Refuses requests without carrying them out. */
const refused = (
  endpoint: string,
  isIt: (json: Json, request: ApiRequest) => boolean,
  response: ApiResponse,
) =>
  on(endpoint, async (request, service) =>
    isIt(bodyIn(request), request) ? response : service.ask(request),
  );

/** Changes the properties that a contact is given. */
const written = (change: (properties: Json) => Json, to: readonly string[] = [upsert, update]) =>
  on(to, (request, service) => {
    const json = bodyIn(request);
    if (json.properties === undefined) return service.ask(request);
    return service.ask(withBody(request, { ...json, properties: change(propertiesIn(json)) }));
  });

/** Changes each value of a property. One that becomes `undefined` is dropped. */
const values = (change: Change, to?: readonly string[]) =>
  written((properties) => mapped(properties, (name, value) => [name, change(value)]), to);

/** Lets requests act with the key of the workspace where this says so. */
const openTo = (
  endpoint: string | readonly string[],
  isLetIn: (request: ApiRequest, service: Service) => boolean,
) =>
  on(endpoint, (request, service) => {
    const headers = { ...request.headers, authorization: `Bearer ${service.apiKey}` };
    return service.ask(isLetIn(request, service) ? { ...request, headers } : request);
  });

/** Remembers what was made with the key, and responds to another request with it as `response` says. */
const afterMade =
  (
    create: string,
    endpoint: string,
    response: (
      response: ApiResponse,
      request: ApiRequest,
      service: Service,
      made: readonly Json[],
    ) => ApiResponse | Promise<ApiResponse>,
  ): MakeFault =>
  () => {
    const made = new Map<unknown, Json>();
    return on([create, endpoint], async (request, service) => {
      const right = await service.ask(request);
      if (isOfOther(request, service)) return right;
      if (request.method !== 'POST') return response(right, request, service, [...made.values()]);
      const json = bodyIn(right);
      if (right.status === 201) made.set(json.id, json);
      return right;
    })();
  };

/** Responds with one of the other contacts that were made in place of the right one. */
const neighbours = (endpoint: string, chosen: (others: readonly Json[], json: Json) => Json | undefined) =>
  afterMade(upsert, endpoint, (response, _, __, made) => {
    if (response.status >= 300) return response;
    const json = bodyIn(response);
    const others = made.filter(({ id }) => id !== json.id);
    return withBody(response, chosen(others, json) ?? json);
  });

/** Does to all that was made what one request does to one of them. */
const doneToAll = (create: string, endpoint: string) =>
  afterMade(create, endpoint, async (response, request, service, made) => {
    if (response.status >= 300) return response;
    for (const { id } of made)
      await service.ask({ ...request, path: request.path.replace(/[^/]+$/, String(id)) });
    return response;
  });

/** Responds to an upsert with another phone. */
const phoneReturned = (change: Change) =>
  field(upsert, 'properties', (json) => ({ ...Object(json), phone: change(Object(json).phone) }));

const ofPhones = textAlterations('a phone', {
  'of another': () => '+442071838750',
  'without its +': (phone) => phone.slice(1),
  'with spaces': (phone) => `${phone} `,
  masked: (phone) => phone.replace(/\d{4}$/, '****'),
});

const places: readonly (readonly [statement: string, when: string, (change: Change) => MakeFault])[] = [
  [statements.propertyTypes, 'is sent to create', (change) => values(change, [upsert])],
  [statements.getContact, 'is got', (change) => returnedValues(get, change)],
  [statements.propertyTypes, 'is sent to update', (change) => values(change, [update])],
  [statements.findByPhone, 'is found', (change) => returnedValues(find, change)],
  [statements.upsertResponse, 'gets a response', (change) => returnedValues(upsert, change)],
];

/** Each alteration of a value, at one of the places where a contact's values go. */
const valueFaults: readonly Row[] = Object.entries(ofValues).flatMap(([by, of], index) =>
  places
    .filter((_, turn) => turn === index % places.length)
    .map(([statement, when, make]): Row => [statement, `${by}, when it ${when}`, make(of)]),
);

/** Each endpoint with the statuses of its success, and the statements that break with another status. */
const successes: readonly (readonly [statement: string, endpoint: string, readonly number[]])[] = [
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
const statusFaults: readonly Row[] = successes.flatMap(([statement, endpoint, [right = 0, ...others]]) =>
  [200, 201, 202, 204, 302, 400, 404, 409, 500]
    .filter((other) => other !== right && !others.includes(other))
    // An event that is not accepted is not named by its contact.
    .filter((other) => statement !== statements.trackAccepted || other < 300)
    .map((other): Row => [statement, `${other} in place of ${right}`, status(endpoint, right, other)]),
);

/** What a read of a contact responds wrongly. */
const wrongContacts = (endpoint: string): Faults => ({
  'the id of nobody': field(endpoint, 'id', () => 'contact_of_somebody_else'),
  'another contact': neighbours(endpoint, ([other]) => other),
  'the last contact': neighbours(endpoint, (others) => others.at(-1)),
  'the properties of another': neighbours(
    endpoint,
    ([other], json) =>
      other && { ...json, properties: { ...propertiesIn(other), phone: propertiesIn(json).phone } },
  ),
  'the id in upper case': field(endpoint, 'id', (id) => String(id).toUpperCase()),
  nothing: responded(endpoint, () => null),
});

/** Finds, where nobody has the phone, a contact that fits it otherwise. */
const strangers = (fits: (phone: string, wanted: string) => boolean) =>
  afterMade(upsert, find, (response, request, service, made) => {
    const wanted = decodeURIComponent(request.query.split('=')[1] ?? '');
    const phones = made.map((json) => String(propertiesIn(json).phone));
    const phone = phones.findLast((each) => fits(each, wanted));
    return response.status < 400 || phone === undefined
      ? response
      : service.ask({ ...request, query: `?phone=${encodeURIComponent(phone)}` });
  });

/** A field of the response with each of these values. */
const otherFields = (endpoint: string, name: string, others: readonly unknown[]): Faults =>
  Object.fromEntries(
    others.map((other) => [`${name}: ${JSON.stringify(other)}`, field(endpoint, name, () => other)]),
  );

/** A number at the end of a value, another one each time. */
let count = 0;
const counted: Change = (value) => `${value}${count++}`;

const contactFaults: Readonly<Record<string, Faults>> = {
  [statements.contactId]: otherFields(upsert, 'id', [undefined, 42, '']),
  [statements.phoneProperty]: {
    ...altered('%', ofPhones, phoneReturned),
    'no phone': phoneReturned(() => undefined),
  },
  [statements.propertyNames]: altered(
    'the name %',
    picked(ofTexts, /case|trim|255|compo|compat|accent|ASCII|UTF|Latin/),
    (change) => written((properties) => mapped(properties, (name, value) => [String(change(name)), value])),
  ),
  [statements.deletionRemovesProperties]: {
    'properties that outlive their contact': () => {
      const kept = new Map<unknown, Json>();
      return on(upsert, (request, service) => {
        const json = bodyIn(request);
        const properties = { ...kept.get(json.phone), ...propertiesIn(json) };
        kept.set(json.phone, properties);
        return service.ask(withBody(request, { ...json, properties }));
      })();
    },
  },
  [statements.upsertResponse]: {
    'the contact in an envelope': responded(upsert, (json) => ({ data: json })),
    'no body': otherUpsert(() => ({ body: '' })),
    'a byte order mark before the body': otherUpsert(({ body }) => ({ body: `\ufeff${body}` })),
    'the content type of text': otherUpsert(({ headers }) => ({
      headers: { ...headers, 'content-type': 'text/plain' },
    })),
  },
  [statements.upsertIdempotent]: {
    'a second contact at each upsert': () => {
      let others = 0;
      return on(upsert, async (request, service, seen) => {
        const { phone, ...json } = bodyIn(request);
        const owner = `${request.headers.authorization} ${phone}`;
        if (!seen.has(owner)) {
          seen.add(owner);
          return service.ask(request);
        }
        others += 1;
        const response = await service.ask(
          withBody(request, { ...json, phone: `+4420718387${10 + others}` }),
        );
        if (response.status !== 201) return response;
        const contact = bodyIn(response);
        return withBody(response, { ...contact, properties: { ...propertiesIn(contact), phone } });
      })();
    },
  },
  [statements.upsertChangesExisting]: {
    'an upsert that changes nothing': on(upsert, (request, service, known) => {
      const { phone, properties } = bodyIn(request);
      const isChange = JSON.stringify(properties ?? {}).includes('Grace') && known.has(String(phone));
      known.add(String(phone));
      return service.ask(isChange ? withBody(request, { phone }) : request);
    }),
  },
  [statements.upsertWithoutProperties]: {
    'properties that are required': refused(
      upsert,
      (json, { body }) => json.properties === undefined && !/\+15551234567|\+1500555/.test(body),
      refusal(400),
    ),
  },
  [statements.findByPhone]: {
    'a + that is decoded twice': on(find, (request, service) =>
      service.ask({ ...request, query: request.query.replace('%2B', '%20') }),
    ),
    ...wrongContacts(find),
  },
  [statements.findNobody]: {
    ...each('%', [204, 302, 400, 403, 410, 422, 500], (other) => status(find, 404, other)),
    '200 with an object that says so': instead(find, isNotFound, as(200, '{"found":false,"contact":null}')),
    '200 with null': instead(find, isNotFound, as(200, 'null')),
    'the contact that was made last': strangers(() => true),
    'a contact whose phone begins alike': strangers((phone, wanted) => phone.startsWith(wanted)),
    'a contact whose phone is the beginning': strangers((phone, wanted) => wanted.startsWith(phone)),
  },
  [statements.getContact]: {
    ...wrongContacts(get),
    'a contact whose id begins alike': afterMade(upsert, get, (response, request, service, made) => {
      const wanted = lastOf(request);
      const id = made.map((json) => String(json.id)).find((each) => isAlike(each, wanted));
      return response.status === 404 && id !== undefined
        ? service.ask({ ...request, path: request.path.replace(wanted, id) })
        : response;
    }),
  },
  [statements.updateContact]: {
    'an update that changes nothing': on(update, (request, service) =>
      service.ask({ ...request, method: 'GET', body: '' }),
    ),
    'an update of all contacts': doneToAll(upsert, update),
    'an update that drops the others': () => {
      const kept = new Map<unknown, Json>();
      return on([find, get, update], async (request, service) => {
        if (request.method === 'PUT') kept.set(lastOf(request), propertiesIn(bodyIn(request)));
        const response = await service.ask(request);
        const json = bodyIn(response);
        const put = kept.get(json.id);
        const { phone } = propertiesIn(json);
        return put === undefined ? response : withBody(response, { ...json, properties: { ...put, phone } });
      })();
    },
    'arrays united with those before': on(update, async (request, service) => {
      const before = propertiesIn(bodyIn(await service.ask({ ...request, method: 'GET', body: '' })));
      const properties = mapped(propertiesIn(bodyIn(request)), (name, value) => [
        name,
        Array.isArray(value) ? [...new Set([...listIn(before, name), ...value])] : value,
      ]);
      return service.ask(withBody(request, { properties }));
    }),
  },
  [statements.deleteContact]: { 'all contacts are deleted': doneToAll(upsert, remove) },
  [statements.deletionIsFinal]: {
    'a contact that stays': refused(remove, (_, request) => hasKey(request), {
      status: 204,
      headers: {},
      body: '',
    }),
  },
};

const otherCodes = (right: string) =>
  each(
    'the code %',
    [right.toUpperCase(), right.replace('_', '-'), `${right}_`, right.slice(0, -1)],
    (other) => code(send, right, other),
  );

/** A flag of a response with another value than true. */
const otherFlags = (endpoint: string, name: string, flags: readonly string[]) =>
  each(`${name}: %`, flags, (value) => responded(endpoint, () => ({ [name]: JSON.parse(value) })));

const isUnapproved = ({ templateId }: Json) => templateId === 'summer_sale';
const isBare = ({ variables }: Json, response: ApiResponse) =>
  response.status === 422 && JSON.stringify(variables) === '{}';
const isRejected = ({ phone }: Json, response: ApiResponse) =>
  response.status === 422 && String(phone).startsWith('+1500555');
const otherStatuses = (isIt: Parameters<typeof instead>[1]) =>
  each('%', [200, 400, 402, 404, 500], (other) => instead(send, isIt, as(other)));

const refusedEvents = (isIt: (json: Json) => boolean) =>
  instead(
    track,
    (json, response) => response.status === 202 && isIt(json),
    () => refusal(400),
  );

/** Refuses events that name their contact by this field alone, and have no properties. */
const refusedFor = (name: string) =>
  refusedEvents((json) => Object.keys(json).length === 2 && json[name] !== undefined);

const refusedProperties = (isIt: (value: unknown) => boolean) =>
  refusedEvents((json) => Object.values(propertiesIn(json)).some(isIt));

const eventFaults: Readonly<Record<string, Faults>> = {
  [statements.sendSucceeds]: {
    ...otherFlags(send, 'success', ['false', '"true"', '1', 'null', '"yes"']),
    'no success': responded(send, () => ({})),
  },
  [statements.sendOverQuota]: {
    ...each('%', [200, 400, 403, 409, 500], (other) => status(send, 402, other)),
    ...otherCodes('quota_exceeded'),
  },
  [statements.sendToNobody]: {
    ...otherCodes('not_found'),
    'a send to a phone that begins alike': instead(
      send,
      ({ phone }, { status: response }) => response === 404 && String(phone).length === 11,
      as(200, '{"success":true}'),
    ),
  },
  [statements.sendUnapproved]: { ...otherCodes('send_failed'), ...otherStatuses(isUnapproved) },
  [statements.sendBadVariables]: otherStatuses(isBare),
  [statements.sendProviderIssue]: otherStatuses(isRejected),
  [statements.trackAccepted]: otherFlags(track, 'accepted', ['false', '"true"', '1', 'null']),
  [statements.trackByContactId]: { '400': refusedFor('contactId') },
  [statements.trackByPhone]: { '400': refusedFor('phone') },
  [statements.trackProperties]: {
    'nested properties that are refused': refusedProperties(
      (value) => typeof value === 'object' && value !== null,
    ),
    'null properties that are refused': refusedProperties((value) => value === null),
    'fractional properties that are refused': refusedProperties(
      (value) => typeof value === 'number' && value % 1 !== 0,
    ),
    'long properties that are refused': refusedProperties((value) => String(value).length > 1_000),
  },
  [statements.trackNobody]: {
    ...each('%', [200, 202, 400, 409, 410, 500], (other) => status(track, 404, other)),
    '202 for everybody': instead(
      track,
      (_, response, request, service) => response.status === 404 && !isOfOther(request, service),
      as(202, '{"accepted":true}'),
    ),
    ...each('202 for a % that begins alike', ['phone', 'contactId'], (name) =>
      on(track, async (request, service, known) => {
        const response = await service.ask(request);
        const value = String(bodyIn(request)[name]);
        if (response.status === 202) known.add(value);
        const isNamed = name in bodyIn(request) && [...known].some((one) => isAlike(one, value));
        return response.status === 404 && isNamed && !isOfOther(request, service)
          ? as(202, '{"accepted":true}')(response)
          : response;
      }),
    ),
  },
  [statements.trackAfterCreation]: {
    'a refusal that is remembered': on(track, async (request, service, unknown) => {
      const { phone } = bodyIn(request);
      const response = await service.ask(request);
      if (response.status === 404 && phone !== undefined) unknown.add(String(phone));
      return unknown.has(String(phone)) ? refusal(404, 'not_found') : response;
    }),
  },
};

const allEvents = ['message.received', 'contact.opted_in', 'contact.opted_out'];
const listed = (endpoint: string, change: (data: readonly Json[]) => readonly unknown[]) =>
  responded(endpoint, (json) => ({ data: change(listIn(json, 'data')) }));
const eachListed = (more: (one: Json) => Json) =>
  listed(subscriptions, (data) => data.map((one) => ({ ...one, ...more(one) })));
const templateIds = (change: (id: string) => string) =>
  listed(templates, (data) => data.map((one) => ({ ...one, id: change(String(one.id)) })));
const ofSecrets = textAlterations('a secret', {
  'without prefix': (secret) => secret.replace('whsec_', ''),
  'with its prefix in upper case': (secret) => secret.replace('whsec_', 'WHSEC_'),
  'that is its prefix': () => 'whsec_',
  'after a space': (secret) => ` ${secret}`,
  'that is missing': () => undefined,
});

const webhookFaults: Readonly<Record<string, Faults>> = {
  [statements.subscriptionFields]: {
    ...otherFields(subscribe, 'id', [42, '', undefined]),
    ...otherFields(subscribe, 'url', [undefined, ['https://example.com/']]),
    ...otherFields(subscribe, 'events', ['message.received', [1], null]),
    ...otherFields(subscribe, 'enabled', ['true', 1, undefined]),
  },
  [statements.subscriptionCreatedAt]: {
    'a text': field(subscribe, 'createdAt', String),
    'a fraction': field(subscribe, 'createdAt', (at) => Number(at) + 0.5),
    none: field(subscribe, 'createdAt', () => undefined),
    ...altered('%', ofTimes, (change) => field(subscribe, 'createdAt', change)),
  },
  [statements.subscribe]: {
    'a url in lower case': field(subscribe, 'url', (url) => String(url).toLowerCase()),
    'a decoded url': field(subscribe, 'url', (url) => decodeURIComponent(String(url))),
    'a url without its query': field(subscribe, 'url', (url) => String(url).split('?')[0]),
    'events sorted': field(subscribe, 'events', (events) => [...[events].flat()].sort()),
    'the first event': field(subscribe, 'events', (events) => [events].flat().slice(0, 1)),
    'all events': field(subscribe, 'events', () => allEvents),
    'the same id twice': field(subscribe, 'id', () => 'subscription'),
  },
  [statements.subscribeSecret]: altered('%', ofSecrets, (change) => field(subscribe, 'secret', change)),
  [statements.listSubscriptions]: {
    'an empty list': listed(subscriptions, () => []),
    'only the last': listed(subscriptions, (data) => data.slice(-1)),
    'another url': eachListed(() => ({ url: 'https://example.com/' })),
    'all events': eachListed(() => ({ events: allEvents })),
    'the url of another': listed(subscriptions, (data) =>
      data.map((one, index) => ({ ...one, url: data[(index + 1) % data.length]?.url })),
    ),
    'not enabled': eachListed(() => ({ enabled: false })),
    'another time': eachListed(({ createdAt }) => ({ createdAt: Number(createdAt) + 3_600_000 })),
  },
  [statements.unsubscribe]: {
    'all subscriptions are deleted': doneToAll(subscribe, unsubscribe),
    'a subscription that stays': on([subscriptions, unsubscribe], async (request, service, kept) => {
      const response = await service.ask(request);
      if (request.method === 'DELETE' && response.status === 204) kept.add(lastOf(request));
      if (response.status !== 200 || isOfOther(request, service)) return response;
      const ids = [...kept].map((id) => ({ id }));
      return withBody(response, { data: [...listIn(bodyIn(response), 'data'), ...ids] });
    }),
  },
  [statements.subscriptionEnabled]: { 'enabled: false': field(subscribe, 'enabled', () => false) },
  [statements.templateId]: {
    'an id that is a number': listed(templates, (data) => [...data, { id: 42 }]),
    'no ids': listed(templates, (data) => data.map((one) => ({ ...one, id: undefined }))),
  },
  [statements.listTemplates]: {
    'an object': responded(templates, () => ({})),
    'ids in upper case': templateIds((id) => id.toUpperCase()),
    'ids that are cut': templateIds((id) => id.slice(0, -1)),
    'ids in quotes': templateIds((id) => `"${id}"`),
    'the approved one left out': listed(templates, (data) => data.filter(({ id }) => id !== 'order_update')),
  },
};

const openToOther = (endpoint: string) => openTo(endpoint, isOfOther);
/** Lets a key in that looks like the right one. */
const openToKey = (isKey: (key: string, right: string) => boolean) =>
  openTo(endpoints, ({ headers }, { apiKey }) =>
    isKey(headers.authorization?.slice('Bearer '.length) ?? '', apiKey),
  );

const accessFaults: Readonly<Record<string, Faults>> = {
  [statements.keyAccepted]: {
    '403 for everybody': () => ({ api: async () => refusal(403, 'forbidden') }),
    '401 for everybody': () => ({ api: async () => refusal(401, 'unauthorized') }),
  },
  [statements.keyRequired]: each('% without a key', endpoints, (endpoint) =>
    openTo(endpoint, (request) => !hasKey(request)),
  ),
  [statements.keyValid]: {
    'any key': openToKey((key) => key.includes('made-up')),
    'a key that is the beginning of it': openToKey((key, right) => key.length > 5 && right.startsWith(key)),
    'a key that begins with it': openToKey((key, right) => key.startsWith(right)),
    'a key in another case': openToKey((key, right) => key.toLowerCase() === right.toLowerCase()),
  },
  [statements.contactsOwned]: {
    'find for everybody': openToOther(find),
    'get for everybody': openToOther(get),
  },
  [statements.contactsNotUpdated]: { 'update for everybody': openToOther(update) },
  [statements.contactsNotDeleted]: { 'delete for everybody': openToOther(remove) },
  [statements.contactsNotSentTo]: { 'sends for everybody': openToOther(send) },
  [statements.subscriptionsNotDeleted]: { 'deletions for everybody': openToOther(unsubscribe) },
  [statements.eventsOwned]: {
    'events for everybody': openToOther(track),
    'events for everybody, by phone': openTo(
      track,
      (request, service) => isOfOther(request, service) && bodyIn(request).phone !== undefined,
    ),
  },
  [statements.subscriptionsOwned]: { 'one list for everybody': openToOther(subscriptions) },
};

type Deliver = (delivery: Delivery, service: Service) => Promise<number>;

const signed = (delivery: Delivery, { sign }: Service): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, 'x-service-signature': sign(delivery) },
});

/** Handles the deliveries. */
const delivering =
  (delivery: Deliver): MakeFault =>
  () => ({ delivery });

/** Makes another delivery in place of each one. */
const replaced = (change: (delivery: Delivery, service: Service) => Delivery) =>
  delivering((delivery, service) => service.deliver(change(delivery, service)));

/** Changes what every delivery says, and signs it anew. */
const delivered = (change: (json: Json) => unknown) =>
  replaced((delivery, service) => signed(withBody(delivery, change(bodyIn(delivery))), service));

/** Acknowledges some deliveries without making them. */
const swallowed = (isIt: (json: Json, delivery: Delivery) => boolean) =>
  delivering(async (delivery, service) =>
    isIt(bodyIn(delivery), delivery) ? 200 : service.deliver(delivery),
  );

/** Makes deliveries with other headers. */
const withHeaders = (
  change: (headers: Readonly<Record<string, string>>, service: Service) => Record<string, string>,
) => replaced((delivery, service) => ({ ...delivery, headers: change(delivery.headers, service) }));

const withSignature = (change: (hexadecimal: string) => string) =>
  withHeaders(({ 'x-service-signature': signature = '', ...headers }) => ({
    ...headers,
    'x-service-signature': change(signature),
  }));

const isMessage = ({ event }: Json) => event === 'message.received';
const messages = (change: (data: Json) => Json) =>
  delivered((json) => (isMessage(json) ? { ...json, data: change(objectIn(json, 'data')) } : json));
const envelopes = (change: (json: Json) => Json) => delivered((json) => ({ ...json, ...change(json) }));

type Take = (response: number, attempt: number, delivery: Delivery, service: Service) => number;

/** Passes each delivery on, and takes another response of the receiver for its own, by the number of the attempt. */
const takenFor =
  (change: Take): MakeFault =>
  () => {
    const attempts = new Map<string, number>();
    return {
      async delivery(delivery, service) {
        const attempt = (attempts.get(delivery.url) ?? 0) + 1;
        attempts.set(delivery.url, attempt);
        const response = await service.deliver(delivery).catch(() => 599);
        return change(response, attempt, delivery, service);
      },
    };
  };

const successAt = (receiver: string) =>
  takenFor((response, _, { url }) => (url.endsWith(`/${receiver}`) ? 200 : response));

const retryFaults: Readonly<Record<string, Faults>> = {
  [statements.deliveryRetries]: {
    ...each('% taken for a success', [400, 401, 403, 404, 408, 409, 410, 422, 429, 500, 503], (failure) =>
      takenFor((response) => (response === failure ? 200 : response)),
    ),
    ...each('the redirect % taken for a success', ['301', '302', '307'], (redirect) =>
      successAt(`fails-redirect-${redirect}`),
    ),
    '4xx that is not retried': takenFor((response) => (response >= 400 && response < 500 ? 200 : response)),
    'no retry': takenFor(() => 200),
    'one retry': takenFor((response, attempt) => (attempt === 2 ? 200 : response)),
    'a fourth attempt, later': takenFor((response, attempt, delivery, service) => {
      if (response === 503 && attempt === 3) service.later(() => service.deliver(delivery));
      return response;
    }),
  },
  [statements.deliveryAcknowledged]: {
    ...each('% taken for a failure', [200, 201, 202, 204, 206, 299], (success) =>
      takenFor((response) => (response === success ? 500 : response)),
    ),
    'a second delivery at once': delivering(async (delivery, service) => {
      const response = await service.deliver(delivery);
      return response === 202 ? service.deliver(delivery) : response;
    }),
  },
  [statements.retryThatSucceeds]: {
    'a success that is retried': takenFor((response, attempt, { url }) =>
      url.endsWith('/recovers') && attempt === 2 ? 500 : response,
    ),
    'no retry': successAt('recovers'),
  },
  [statements.deliveryTimeout]: {
    'a late response taken for a success': successAt('fails-late'),
  },
  [statements.deliveryUnreachable]: {
    'a cut connection taken for a success': takenFor((response) => (response === 599 ? 200 : response)),
  },
  [statements.retryBackoff]: {
    'retries at once': delivering(async (delivery, service) => {
      for (let attempt = 0; attempt < 3; attempt += 1)
        if ((await service.deliver(delivery).catch(() => 500)) < 300) break;
      return 200;
    }),
  },
};

const inMessages = (name: string, change: Change) =>
  messages((data) => ({ ...data, [name]: change(data[name]) }));
/** Changes of an instant that is written as a text. */
const ofInstants: Alterations = {
  ...Object.fromEntries(
    Object.entries(ofTimes).map(([how, change]) => [
      how,
      (time) => new Date(Number(change(Date.parse(String(time))))).toISOString(),
    ]),
  ),
  ...textAlterations('a time', {
    'without milliseconds': (time) => time.replace(/\.\d+Z$/, 'Z'),
    'with microseconds': (time) => time.replace('Z', '000Z'),
    'with an offset': (time) => time.replace('Z', '+00:00'),
    'without its zone': (time) => time.replace('Z', ''),
    'with a space': (time) => time.replace('T', ' '),
    'in lower case': (time) => time.toLowerCase(),
    'of RFC 1123': (time) => new Date(time).toUTCString(),
  }),
};
const ofSignatures = textAlterations('a signature', {
  'in Base64': (hexadecimal) => Buffer.from(hexadecimal, 'hex').toString('base64'),
  'with the name of its hash': (hexadecimal) => `sha256=${hexadecimal}`,
  'without its last digit': (hexadecimal) => hexadecimal.slice(0, -1),
  'of zeros': () => '0'.repeat(64),
});
const messageFields = ['conversationId', 'messageId', 'contactId', 'phone', 'type', 'body', 'receivedAt'];
const deliveryFields = ['event', 'workspaceId', 'timestamp', 'data'];

/** No delivery of an event type, or one under another name. */
const otherEvents = (event: string): Faults => ({
  'no delivery': swallowed((json) => json.event === event),
  ...each(
    'the name %',
    [event.toUpperCase(), event.replace('.', '_'), event.slice(0, -1), ` ${event}`],
    (other) => envelopes((json) => ({ event: json.event === event ? other : json.event })),
  ),
});

const deliveryFaults: Readonly<Record<string, Faults>> = {
  [statements.messageData]: {
    ...altered('the body: %', picked(ofTexts, /(?<!empty)$/), (change) => inMessages('body', change)),
    ...each('no %', messageFields, (name) => inMessages(name, () => undefined)),
    ...each('%: null', messageFields, (name) => inMessages(name, () => null)),
    ...each('%: a number', messageFields, (name) => inMessages(name, () => 42)),
    'one messageId for all': inMessages('messageId', () => 'message'),
    'another messageId each time': inMessages('messageId', counted),
    'the contactId of nobody': inMessages('contactId', () => 'contact_of_nobody'),
    'a contactId in upper case': inMessages('contactId', (id) => String(id).toUpperCase()),
    ...altered('%', ofPhones, (change) => inMessages('phone', change)),
    ...altered('receivedAt, %', ofInstants, (change) => inMessages('receivedAt', change)),
  },
  [statements.deliveryTimestamp]: altered('%', ofInstants, (change) =>
    envelopes(({ timestamp }) => ({ timestamp: change(timestamp) })),
  ),
  [statements.messageReceived]: {
    ...otherEvents('message.received'),
    'no delivery of STOP': swallowed((json) => isMessage(json) && objectIn(json, 'data').body === 'STOP'),
  },
  [statements.optedIn]: otherEvents('contact.opted_in'),
  [statements.optedOut]: otherEvents('contact.opted_out'),
  [statements.deliveryRequest]: {
    PUT: delivering(
      async ({ url, headers, body }) =>
        (await fetch(url, { method: 'PUT', headers: { ...headers }, body })).status,
    ),
    'the content type of forms': withHeaders((headers) => ({
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
    })),
    'a list': delivered((json) => [json]),
    'a byte order mark before the body': replaced((delivery, service) =>
      signed({ ...delivery, body: `\ufeff${delivery.body}` }, service),
    ),
  },
  [statements.deliveryOfSubscribed]: {
    'messages to everybody': delivering(async (delivery, service) => {
      const json = bodyIn(delivery);
      if (json.event === 'contact.opted_out')
        await service.deliver(signed(withBody(delivery, { ...json, event: 'contact.opted_in' }), service));
      return service.deliver(delivery);
    }),
  },
  [statements.deliveryToEach]: {
    'only the first': swallowed((_, { url }) => url.endsWith('/received')),
    'only the second': swallowed((_, { url }) => url.endsWith('/received-too')),
    'one message to one of them': swallowed(
      (json, { url }) => url.endsWith('/received-too') && objectIn(json, 'data').body === 'STOP',
    ),
  },
  [statements.deliveryBody]: {
    ...each('no %', deliveryFields, (name) => envelopes(() => ({ [name]: undefined }))),
    ...each('%: a number', deliveryFields, (name) => envelopes(() => ({ [name]: 42 }))),
    'data as a string': envelopes(({ data }) => ({ data: JSON.stringify(data) })),
    'another workspace each time': envelopes(({ workspaceId }) => ({ workspaceId: counted(workspaceId) })),
  },
  [statements.deliveryEnds]: {
    'one more': delivering(async (delivery, service) => {
      const url = service.urls.find((other) => other.endsWith('/received'));
      if (delivery.body.includes('Hello again') && url !== undefined)
        await service.deliver(signed({ ...delivery, url }, service));
      return service.deliver(delivery);
    }),
  },
  [statements.signatureHeader]: {
    none: withHeaders(({ 'x-service-signature': _, ...headers }) => headers),
    'another name': withHeaders(({ 'x-service-signature': signature = '', ...headers }) => ({
      ...headers,
      'x-signature': signature,
    })),
    'an empty one': withSignature(() => ''),
  },
  [statements.signature]: {
    ...altered('%', ofSignatures, (change) => withSignature((hexadecimal) => String(change(hexadecimal)))),
    'the body written anew': replaced((delivery) => ({
      ...delivery,
      body: JSON.stringify(JSON.parse(delivery.body), null, 1),
    })),
    'the secret of another subscription': replaced((delivery, service) => {
      const url = service.urls.find((other) => other !== delivery.url) ?? '';
      return { ...signed({ ...delivery, url }, service), url: delivery.url };
    }),
  },
  [statements.signatureInsteadOfKey]: {
    'the key elsewhere': withHeaders((headers, { apiKey }) => ({ ...headers, 'x-api-key': apiKey })),
    'the key': withHeaders((headers, { apiKey }) => ({ ...headers, authorization: `Bearer ${apiKey}` })),
  },
  [statements.trackedNotDelivered]: {
    'a delivery': on(track, async (request, service) => {
      const response = await service.ask(request);
      const { event, properties: data = {} } = bodyIn(request);
      const url = service.urls.find((other) => other.endsWith('/received'));
      if (response.status === 202 && url !== undefined) {
        const body = JSON.stringify({ event, workspaceId: 'w', timestamp: new Date().toISOString(), data });
        await service.deliver(
          signed({ url, headers: { 'content-type': 'application/json' }, body }, service),
        );
      }
      return response;
    }),
  },
};

/** A statement that a fault breaks, what the fault does, and the fault, made anew for each run. */
type Row = readonly [breaks: string, by: string, make: MakeFault];

/** Behaviours that are broken on purpose: at least one for every statement that can be broken. */
export const faults: readonly Row[] = [
  ...valueFaults,
  ...statusFaults,
  ...[contactFaults, eventFaults, webhookFaults, accessFaults, deliveryFaults, retryFaults]
    .flatMap((group) => Object.entries(group))
    .flatMap(([breaks, made]) => Object.entries(made).map(([by, make]): Row => [breaks, by, make])),
];
