import { type Statement, statements } from '../../../src/contract/statements.js';
import type { ApiAnswer, ApiRequest, Delivery, Fault, Service } from './proxy.js';

type Json = Record<string, unknown>;
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

const contactFaults: FaultTable = {
  [statements.contactId]: { 'an id that is left out': answered(upsert, ({ id, ...others }) => others) },
  [statements.phoneProperty]: {
    'a phone without its +': answered(upsert, (json) => {
      const { phone, ...others } = propertiesIn(json);
      return { ...json, properties: { ...others, phone: String(phone).slice(1) } };
    }),
  },
  [statements.propertyTypes]: {
    'arrays that become strings': values((value) => (Array.isArray(value) ? value.join() : value), [upsert]),
    'numbers without their fraction': values((value) =>
      typeof value === 'number' ? Math.trunc(value) : value,
    ),
    'numbers without their sign': values((value) => (typeof value === 'number' ? Math.abs(value) : value)),
    'true that becomes false': values((value) => (value === true ? false : value)),
    'empty strings that are dropped': values((value) => (value === '' ? undefined : value)),
    'empty lists that are dropped': values((value) =>
      Array.isArray(value) && value.length === 0 ? undefined : value,
    ),
  },
  [statements.propertyNames]: {
    'names in lower case': written((properties) =>
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value])),
    ),
  },
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
  [statements.upsertCreates]: { '200': status(upsert, 201, 200) },
  [statements.upsertUpdates]: {
    '201': status(upsert, 200, 201),
  },
  [statements.upsertAnswer]: {
    'the contact in an envelope': answered(upsert, (json) => ({ data: json })),
  },
  [statements.upsertIdempotent]: {
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
  },
  [statements.upsertChangesExisting]: {
    'an upsert that changes nothing': () => {
      const known = new Set<unknown>();
      return on(upsert, (request, service) => {
        const { phone, properties } = bodyIn(request);
        const isChange = JSON.stringify(properties ?? {}).includes('Grace') && known.has(phone);
        known.add(phone);
        return service.ask(isChange ? withBody(request, { phone }) : request);
      })();
    },
  },
  [statements.upsertWithoutProperties]: {
    'properties that are required': refused(
      upsert,
      // Those that are sent to have none either.
      (json, { body }) => json.properties === undefined && !/\+15551234567|\+1500555/.test(body),
      refusal(400),
    ),
  },
  [statements.findByPhone]: {
    'another contact': answered(find, (json) => ({ ...json, id: 'contact_of_somebody_else' })),
    'a + that is decoded twice': on(find, (request, service) =>
      service.ask({ ...request, query: request.query.replace('%2B', '%20') }),
    ),
  },
  [statements.findNobody]: {
    '200 with null': instead(
      find,
      (_, answer) => answer.status === 404,
      (answer) => ({ ...answer, status: 200, body: 'null' }),
    ),
    '400': status(find, 404, 400),
  },
  [statements.getContact]: {
    'another contact': answered(get, (json) => ({ ...json, id: 'contact_of_somebody_else' })),
  },
  [statements.updateContact]: {
    'an update that changes nothing': on(update, (request, service) =>
      service.ask({ ...request, method: 'GET', body: '' }),
    ),
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
  },
  [statements.deleteContact]: {
    '200': status(remove, 204, 200),
  },
  [statements.deletionIsFinal]: {
    'a contact that stays': refused(remove, (_, request) => hasKey(request), {
      status: 204,
      headers: {},
      body: '',
    }),
  },
};

const sendFaults: FaultTable = {
  [statements.sendSucceeds]: {
    '202': status(send, 200, 202),
    'success: false': answered(send, () => ({ success: false })),
  },
  [statements.sendOverQuota]: {
    '403': status(send, 402, 403),
    'another code': code(send, 'quota_exceeded', 'payment_required'),
  },
  [statements.sendToNobody]: {
    'another code': code(send, 'not_found', 'contact_missing'),
  },
  [statements.sendUnapproved]: {
    '400': refused(send, ({ templateId }) => templateId === 'summer_sale', refusal(400)),
  },
  [statements.sendBadVariables]: {
    'a success': instead(
      send,
      ({ variables }, answer) => answer.status === 422 && JSON.stringify(variables) === '{}',
      (answer) => ({ ...answer, status: 200, body: '{"success":true}' }),
    ),
  },
  [statements.sendProviderIssue]: {
    '502': instead(
      send,
      ({ phone }, answer) => answer.status === 422 && String(phone).startsWith('+1500555'),
      (answer) => ({ ...answer, status: 502 }),
    ),
  },
};

/** Refuses events that name their contact by this field alone, and have no properties. */
const refusedFor = (field: string) =>
  instead(
    track,
    (json, answer) =>
      answer.status === 202 &&
      json[field] !== undefined &&
      json.properties === undefined &&
      !('phone' in json && 'contactId' in json),
    () => refusal(400),
  );

const eventFaults: FaultTable = {
  [statements.trackAccepted]: {
    '200': status(track, 202, 200),
  },
  [statements.trackByContactId]: { '400': refusedFor('contactId') },
  [statements.trackByPhone]: { '400': refusedFor('phone') },
  [statements.trackProperties]: {
    'nested properties that are refused': instead(
      track,
      (json, answer) =>
        answer.status === 202 && Object.values(propertiesIn(json)).some((value) => typeof value === 'object'),
      () => refusal(400),
    ),
  },
  [statements.trackNobody]: {
    '202 for everybody': instead(
      track,
      (_, answer, request, service) =>
        answer.status === 404 && hasKey(request) && !isOfOther(request, service),
      (answer) => ({ ...answer, status: 202, body: '{"accepted":true}' }),
    ),
  },
  [statements.trackAfterCreation]: {
    'a refusal that is remembered': () => {
      const unknown = new Set<unknown>();
      return on(track, async (request, service) => {
        const { phone } = bodyIn(request);
        const answer = await service.ask(request);
        if (answer.status === 404 && phone !== undefined) unknown.add(phone);
        return unknown.has(phone) ? refusal(404, 'not_found') : answer;
      })();
    },
  },
};

/** Answers a new subscription with other fields. */
const subscribed = (change: (json: Json) => Json) =>
  answered(subscribe, (json) => ({ ...json, ...change(json) }));

const webhookFaults: FaultTable = {
  [statements.subscriptionFields]: {
    'events as one string': subscribed(({ events }) => ({ events: String(events) })),
  },
  [statements.subscriptionCreatedAt]: {
    'an ISO string': subscribed(({ createdAt }) => ({
      createdAt: new Date(Number(createdAt)).toISOString(),
    })),
    seconds: subscribed(({ createdAt }) => ({ createdAt: Math.floor(Number(createdAt) / 1000) })),
    microseconds: subscribed(({ createdAt }) => ({ createdAt: Number(createdAt) * 1000 })),
  },
  [statements.subscribe]: {
    '200': status(subscribe, 201, 200),
    'another url': subscribed(() => ({ url: 'https://example.com/' })),
  },
  [statements.subscribeSecret]: {
    'a secret without prefix': subscribed(({ secret }) => ({ secret: String(secret).replace('whsec_', '') })),
  },
  [statements.listSubscriptions]: {
    'an empty list': answered(subscriptions, () => ({ data: [] })),
  },
  [statements.unsubscribe]: {
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
  },
  [statements.subscriptionEnabled]: { 'enabled: false': subscribed(() => ({ enabled: false })) },
};

const templateFaults: FaultTable = {
  [statements.templateId]: {
    'an id that is a number': answered(templates, (json) => ({
      data: [...listIn(json, 'data'), { id: 42 }],
    })),
  },
  [statements.listTemplates]: {
    'a list without the approved one': answered(templates, (json) => ({
      data: listIn(json, 'data').filter(({ id }) => id !== 'order_update'),
    })),
  },
};

const openToOther = (endpoint: string) => openTo(endpoint, isOfOther);

const accessFaults: FaultTable = {
  [statements.keyAccepted]: {
    '403 for everybody': () => ({ api: async () => refusal(403, 'forbidden') }),
  },
  [statements.keyRequired]: Object.fromEntries(
    endpoints.map((each) => [`${each} without a key`, openTo(each, (request) => !hasKey(request))]),
  ),
  [statements.keyValid]: {
    'any key': openTo(endpoints, ({ headers }) => headers.authorization?.includes('made-up') === true),
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
const withoutMilliseconds = (instant: unknown) => String(instant).replace(/\.\d+Z$/, 'Z');
const messageFields = ['conversationId', 'messageId', 'contactId', 'phone', 'type', 'body', 'receivedAt'];

const deliveryFaults: FaultTable = {
  [statements.messageReceived]: {
    'no delivery of messages': swallowed(isMessage),
    'no delivery of STOP': swallowed((json) => isMessage(json) && objectIn(json, 'data').body === 'STOP'),
  },
  [statements.optedIn]: { 'no delivery': swallowed(({ event }) => event === 'contact.opted_in') },
  [statements.optedOut]: { 'no delivery': swallowed(({ event }) => event === 'contact.opted_out') },
  [statements.deliveryRequest]: {
    PUT: delivering(async ({ url, headers, body }) => {
      const { status: answer } = await fetch(url, { method: 'PUT', headers: { ...headers }, body });
      return answer;
    }),
  },
  [statements.deliveryOfSubscribed]: {
    'messages to everybody': delivering(async (delivery, service) => {
      const json = bodyIn(delivery);
      if (json.event === 'contact.opted_out') {
        await service.deliver(signed(withBody(delivery, { ...json, event: 'contact.opted_in' }), service));
      }
      return service.deliver(delivery);
    }),
  },
  [statements.deliveryToEach]: {
    'only the first': swallowed((_, { url }) => url.endsWith('/received')),
  },
  [statements.deliveryBody]: {
    'no workspaceId': envelopes(() => ({ workspaceId: undefined })),
    'data as a string': envelopes(({ data }) => ({ data: JSON.stringify(data) })),
  },
  [statements.deliveryTimestamp]: {
    'a day of 1970': envelopes(() => ({ timestamp: '1970-01-01T00:00:00.000Z' })),
    'no milliseconds': envelopes(({ timestamp }) => ({ timestamp: withoutMilliseconds(timestamp) })),
  },
  [statements.messageData]: {
    ...Object.fromEntries(
      messageFields.map((field) => [`no ${field}`, messages((data) => without(data, field))]),
    ),
    'receivedAt without milliseconds': messages((data) => ({
      ...data,
      receivedAt: withoutMilliseconds(data.receivedAt),
    })),
    'the phone of another': messages((data) => ({ ...data, phone: '+442071838750' })),
    'the contactId of nobody': messages((data) => ({ ...data, contactId: 'contact_of_nobody' })),
  },
  [statements.deliveryEnds]: {
    'one more': () => {
      let deletedUrl: string | undefined;
      return {
        async delivery(delivery, service) {
          if (delivery.url.endsWith('/received')) deletedUrl ??= delivery.url;
          if (delivery.body.includes('Hello again') && deletedUrl !== undefined) {
            await service.deliver(signed({ ...delivery, url: deletedUrl }, service));
          }
          return service.deliver(delivery);
        },
      };
    },
  },
  [statements.signatureHeader]: {
    none: withHeaders(({ 'x-service-signature': _, ...headers }) => headers),
  },
  [statements.signature]: {
    Base64: withSignature((signature) => Buffer.from(signature, 'hex').toString('base64')),
    'the body written anew': delivering((delivery, service) =>
      service.deliver({ ...delivery, body: JSON.stringify(bodyIn(delivery), null, 1) }),
    ),
  },
  [statements.signatureInsteadOfKey]: {
    'the key elsewhere': withHeaders((headers, { apiKey }) => ({ ...headers, 'x-api-key': apiKey })),
    'the key': withHeaders((headers, { apiKey }) => ({ ...headers, authorization: `Bearer ${apiKey}` })),
  },
  [statements.trackedNotDelivered]: {
    'a delivery': on(track, async (request, service) => {
      const answer = await service.ask(request);
      const { event, properties: data = {} } = bodyIn(request);
      const url = service.urls.find((each) => each.endsWith('/received'));
      if (answer.status === 202 && url !== undefined) {
        const body = JSON.stringify({ event, workspaceId: 'w', timestamp: new Date().toISOString(), data });
        await service.deliver(
          signed({ url, headers: { 'content-type': 'application/json' }, body }, service),
        );
      }
      return answer;
    }),
  },
  [statements.deliveryAcknowledged]: {
    '202 taken for a failure': delivering(async (delivery, service) => {
      const answer = await service.deliver(delivery);
      return answer === 202 ? service.deliver(delivery) : answer;
    }),
  },
  [statements.deliveryRetries]: {
    'one retry': () => {
      const attempts = new Map<string, number>();
      return {
        async delivery(delivery, service) {
          const answer = await service.deliver(delivery);
          const count = (attempts.get(delivery.url) ?? 0) + 1;
          attempts.set(delivery.url, count);
          return answer >= 500 && count === 2 ? 200 : answer;
        },
      };
    },
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
  },
  [statements.retryThatSucceeds]: {
    'a success that is retried': () => {
      const attempts = new Map<string, number>();
      return {
        async delivery(delivery, service) {
          const count = (attempts.get(delivery.url) ?? 0) + 1;
          attempts.set(delivery.url, count);
          const answer = await service.deliver(delivery);
          return delivery.url.endsWith('/recovers') && count === 2 ? 500 : answer;
        },
      };
    },
  },
  [statements.deliveryUnreachable]: {
    'a connection that fails taken for a success': delivering((delivery, service) =>
      service.deliver(delivery).catch(() => 200),
    ),
  },
  [statements.retryBackoff]: {
    'retries at once': delivering(async (delivery, service) => {
      let answer = await service.deliver(delivery);
      for (let retries = 0; retries < 2 && answer >= 500; retries += 1) {
        answer = await service.deliver(delivery);
      }
      return 200;
    }),
  },
};

/** Faults by the one statement that each of them breaks, and by what it does. */
type FaultTable = Readonly<Partial<Record<Statement, Readonly<Record<string, MakeFault>>>>>;

/** Behaviours that are broken on purpose: at least one for every statement that can be broken. */
export const faults: readonly (readonly [breaks: string, by: string, make: MakeFault])[] = [
  contactFaults,
  sendFaults,
  eventFaults,
  webhookFaults,
  templateFaults,
  accessFaults,
  deliveryFaults,
].flatMap((table) =>
  Object.entries(table).flatMap(([breaks, makers]) =>
    Object.entries(makers).map(([by, make]) => [breaks, by, make] as const),
  ),
);
