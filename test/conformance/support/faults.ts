import { statements } from '../../../src/contract/statements.js';
import type { ApiAnswer, ApiRequest, Delivery, Fault, Hands } from './proxy.js';

/** A behaviour that is broken on purpose, and the one statement that it breaks. */
export interface NamedFault {
  /** The section and the statement, as the report has them. */
  readonly breaks: string;
  readonly by: string;
  readonly fault: () => Fault;
}

type Json = Record<string, unknown>;
type Handler = (request: ApiRequest, hands: Hands) => Promise<ApiAnswer>;

const fault = (breaks: string, by: string, make: () => Fault): NamedFault => ({ breaks, by, fault: make });

/** Only what goes to this endpoint is handled; a path with `:id` is that of one contact or subscription. */
function on(endpoint: string, handle: Handler): Fault {
  const [method, path = ''] = endpoint.split(' ');
  const pattern = new RegExp(`^${path.replace(':id', '(?!find$)[^/]+')}$`);
  return {
    api: (request, hands) =>
      request.method === method && pattern.test(request.path) ? handle(request, hands) : hands.ask(request),
  };
}

const status =
  (from: number, to: number): Handler =>
  async (request, hands) => {
    const answer = await hands.ask(request);
    return answer.status === from ? { ...answer, status: to } : answer;
  };

/** Changes the JSON of successes. */
const body =
  (change: (json: Json, request: ApiRequest) => unknown): Handler =>
  async (request, hands) => {
    const answer = await hands.ask(request);
    if (answer.status >= 300 || answer.body === '') return answer;
    return { ...answer, body: JSON.stringify(change(JSON.parse(answer.body), request)) };
  };

/** Changes the JSON of what is asked. */
const asked =
  (change: (json: Json) => Json): Handler =>
  (request, hands) =>
    hands.ask({ ...request, body: JSON.stringify(change(JSON.parse(request.body))) });

const refuse = (code: number, error = 'invalid_request'): ApiAnswer => ({
  status: code,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { code: error, message: 'Refused by the fault.' } }),
});

const without = (json: Json, name: string): Json =>
  Object.fromEntries(Object.entries(json).filter(([each]) => each !== name));
const propertiesOf = (json: Json): Json => ({ ...(json.properties as Json) });
const bodyIn = (request: ApiRequest): Json => (request.body === '' ? {} : JSON.parse(request.body));
const keyOf = ({ headers }: ApiRequest) => headers.authorization;

const upsert = 'POST /v1/contacts';

/** Changes the properties that a contact is given, by whichever endpoint. */
function onProperties(change: (properties: Json) => Json): Fault {
  const writes = [on(upsert, changed), on('PUT /v1/contacts/:id', changed)] as const;
  async function changed(request: ApiRequest, hands: Hands): Promise<ApiAnswer> {
    if (request.body === '{' || bodyIn(request).properties === undefined) return hands.ask(request);
    return asked((json) => ({ ...json, properties: change(propertiesOf(json)) }))(request, hands);
  }
  return {
    api: (request, hands) =>
      (request.method === 'PUT' ? writes[1] : writes[0]).api?.(request, hands) ?? hands.ask(request),
  };
}

/** Each value becomes another one, or `undefined`, which JSON leaves out. */
const onValues = (change: (value: unknown) => unknown) =>
  onProperties((properties) =>
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, change(value)])),
  );

const values = statements.propertyTypes;
const valueFaults: readonly NamedFault[] = [
  fault(values, 'numbers without their fraction', () =>
    onValues((value) => (typeof value === 'number' ? Math.trunc(value) : value)),
  ),
  fault(values, 'numbers without their sign', () =>
    onValues((value) => (typeof value === 'number' ? Math.abs(value) : value)),
  ),
  fault(values, 'negative numbers that are dropped', () =>
    onValues((value) => (typeof value === 'number' && value < 0 ? undefined : value)),
  ),
  fault(values, 'true that becomes false', () => onValues((value) => (value === true ? false : value))),
  fault(values, 'empty strings that are dropped', () =>
    onValues((value) => (value === '' ? undefined : value)),
  ),
  fault(values, 'empty lists that are dropped', () =>
    onValues((value) => (Array.isArray(value) && value.length === 0 ? undefined : value)),
  ),
];
const contactFaults: readonly NamedFault[] = [
  fault(statements.contactId, 'an id that is left out', () =>
    on(
      upsert,
      body((json) => without(json, 'id')),
    ),
  ),
  fault(statements.phoneProperty, 'a phone that is left out', () =>
    on(
      upsert,
      body((json) => ({ ...json, properties: without(propertiesOf(json), 'phone') })),
    ),
  ),
  fault(statements.phoneProperty, 'a phone without its +', () =>
    on(
      upsert,
      body((json) => {
        const { phone, ...properties } = propertiesOf(json);
        return { ...json, properties: { ...properties, phone: String(phone).slice(1) } };
      }),
    ),
  ),
  fault(statements.propertyTypes, 'arrays that become strings', () =>
    on(
      upsert,
      asked((json) => ({ ...json, properties: joined(propertiesOf(json)) })),
    ),
  ),
  fault(statements.propertyTypes, 'booleans that are refused', () =>
    on(upsert, async (request, hands) => {
      const values = Object.values(propertiesOf(bodyIn(request)));
      return values.some((value) => typeof value === 'boolean') ? refuse(400) : hands.ask(request);
    }),
  ),
  ...valueFaults,
  fault(statements.propertyNames, 'names in lower case', () =>
    onProperties((properties) =>
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value])),
    ),
  ),
  fault(statements.propertyNames, 'names that must be words', () =>
    on(upsert, async (request, hands) => {
      if (request.body === '{') return hands.ask(request);
      const names = Object.keys(propertiesOf(bodyIn(request)));
      return names.every((name) => /^\w+$/.test(name)) ? hands.ask(request) : refuse(422);
    }),
  ),
  fault(statements.deletionRemovesProperties, 'properties that outlive their contact', () => {
    const kept = new Map<unknown, Json>();
    return on(upsert, async (request, hands) => {
      if (request.body === '{') return hands.ask(request);
      const json = bodyIn(request);
      kept.set(json.phone, { ...kept.get(json.phone), ...propertiesOf(json) });
      const answer = await hands.ask({
        ...request,
        body: JSON.stringify({ ...json, properties: kept.get(json.phone) }),
      });
      return answer;
    });
  }),
  fault(statements.upsertCreates, '200', () => on(upsert, status(201, 200))),
  fault(statements.upsertUpdates, '201', () => on(upsert, status(200, 201))),
  fault(statements.upsertUpdates, '409', () =>
    on(upsert, async (request, hands) => {
      const answer = await hands.ask(request);
      const isRepeat = answer.status === 200 && bodyIn(request).properties !== undefined;
      return isRepeat && JSON.stringify(bodyIn(request)).includes('"Ada"') ? refuse(409) : answer;
    }),
  ),
  fault(statements.upsertAnswer, 'the contact in an envelope', () =>
    on(
      upsert,
      body((json) => ({ data: json })),
    ),
  ),
  fault(statements.upsertAnswer, 'the phone alone', () =>
    on(
      upsert,
      body((json) => ({ ...json, properties: { phone: propertiesOf(json).phone } })),
    ),
  ),
  fault(statements.upsertAnswer, 'JSON that is called text', () =>
    on(upsert, async (request, hands) => ({
      ...(await hands.ask(request)),
      headers: { 'content-type': 'text/plain' },
    })),
  ),
  fault(statements.upsertIdempotent, 'a second contact at each upsert', () => {
    const seen = new Set<string>();
    let others = 0;
    return on(upsert, async (request, hands) => {
      if (request.body === '{') return hands.ask(request);
      const { phone, ...json } = bodyIn(request);
      const owner = `${keyOf(request)} ${phone}`;
      if (!seen.has(owner)) {
        seen.add(owner);
        return hands.ask(request);
      }
      others += 1;
      const other = JSON.stringify({ ...json, phone: `+4420718387${10 + others}` });
      const answer = await hands.ask({ ...request, body: other });
      if (answer.status !== 201) return answer;
      const contact = JSON.parse(answer.body);
      const properties = { ...contact.properties, phone };
      return { ...answer, status: 201, body: JSON.stringify({ ...contact, properties }) };
    });
  }),
  fault(statements.upsertChangesExisting, 'an upsert that changes nothing', () => {
    const first = new Set<unknown>();
    return on(upsert, async (request, hands) => {
      if (request.body === '{') return hands.ask(request);
      const { phone, properties } = bodyIn(request);
      const isChange = JSON.stringify(properties ?? {}).includes('Grace') && first.has(phone);
      first.add(phone);
      return hands.ask(isChange ? { ...request, body: JSON.stringify({ phone }) } : request);
    });
  }),
  fault(statements.upsertWithoutProperties, 'properties that are required', () =>
    on(upsert, async (request, hands) =>
      request.body !== '{' && bodyIn(request).properties === undefined && !isOfSend(request)
        ? refuse(400)
        : hands.ask(request),
    ),
  ),
  fault(statements.findByPhone, 'a + that is decoded twice', () =>
    on('GET /v1/contacts/find', async (request, hands) =>
      hands.ask({ ...request, query: request.query.replace('%2B', '%20') }),
    ),
  ),
  fault(statements.findByPhone, 'another contact', () =>
    on(
      'GET /v1/contacts/find',
      body((json) => ({ ...json, id: 'contact_of_somebody_else' })),
    ),
  ),
  fault(statements.findNobody, '200 with null', () =>
    on('GET /v1/contacts/find', async (request, hands) => {
      const answer = await hands.ask(request);
      return answer.status === 404 ? { ...answer, status: 200, body: 'null' } : answer;
    }),
  ),
  fault(statements.findNobody, '400', () => on('GET /v1/contacts/find', status(404, 400))),
  fault(statements.getContact, 'another contact', () =>
    on(
      'GET /v1/contacts/:id',
      body((json) => ({ ...json, id: 'contact_of_somebody_else' })),
    ),
  ),
  fault(statements.getContact, '500 with a page', () =>
    on('GET /v1/contacts/:id', async () => ({
      status: 500,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Internal Server Error</h1>',
    })),
  ),
  fault(statements.updateContact, 'an update that drops the others', () => {
    const kept = new Map<unknown, readonly string[]>();
    const shown = body((json) => {
      const names = kept.get(json.id);
      const properties = Object.entries(propertiesOf(json)).filter(
        ([name]) => names === undefined || name === 'phone' || names.includes(name),
      );
      return { ...json, properties: Object.fromEntries(properties) };
    });
    return {
      api(request, hands) {
        if (!request.path.startsWith('/v1/contacts/')) return hands.ask(request);
        if (request.method === 'PUT') {
          kept.set(request.path.split('/').at(-1), Object.keys(propertiesOf(bodyIn(request))));
        }
        return shown(request, hands);
      },
    };
  }),
  fault(statements.updateContact, 'an update that changes nothing', () =>
    on('PUT /v1/contacts/:id', (request, hands) => hands.ask({ ...request, method: 'GET', body: '' })),
  ),
  fault(statements.updateContact, 'an update that is refused', () =>
    on('PUT /v1/contacts/:id', async (request, hands) =>
      keyOf(request) === undefined ? hands.ask(request) : refuse(405, 'method_not_allowed'),
    ),
  ),
  fault(statements.deleteContact, '200', () => on('DELETE /v1/contacts/:id', status(204, 200))),
  fault(statements.deleteContact, '200 with a body', () =>
    on('DELETE /v1/contacts/:id', async (request, hands) => {
      const answer = await hands.ask(request);
      if (answer.status !== 204) return answer;
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"deleted":true}' };
    }),
  ),
  fault(statements.deletionIsFinal, 'a contact that stays', () =>
    on('DELETE /v1/contacts/:id', async (request, hands) =>
      keyOf(request) === undefined ? hands.ask(request) : { status: 204, headers: {}, body: '' },
    ),
  ),
];

const isOfSend = (request: ApiRequest) =>
  request.body.includes('+15551234567') || request.body.includes('+1500555');

function joined(properties: Json): Json {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]),
  );
}

const send = 'POST /v1/transactional';
const sendFaults: readonly NamedFault[] = [
  fault(statements.sendSucceeds, '202', () => on(send, status(200, 202))),
  fault(statements.sendSucceeds, 'success: false', () =>
    on(
      send,
      body(() => ({ success: false })),
    ),
  ),
  fault(statements.sendSucceeds, 'another field', () =>
    on(
      send,
      body(() => ({ sent: true })),
    ),
  ),
  fault(statements.sendOverQuota, '403', () => on(send, status(402, 403))),
  fault(statements.sendOverQuota, 'another code', () => on(send, code('quota_exceeded', 'payment_required'))),
  fault(statements.sendToNobody, '422 send_failed', () =>
    on(send, async (request, hands) => {
      const answer = await hands.ask(request);
      return answer.status === 404 ? refuse(422, 'send_failed') : answer;
    }),
  ),
  fault(statements.sendToNobody, 'another code', () => on(send, code('not_found', 'contact_missing'))),
  fault(statements.sendUnapproved, '400', () =>
    on(send, async (request, hands) =>
      bodyIn(request).templateId === 'summer_sale' ? refuse(400) : hands.ask(request),
    ),
  ),
  fault(statements.sendBadVariables, 'a success', () =>
    on(send, async (request, hands) => {
      const answer = await hands.ask(request);
      const isIt = answer.status === 422 && JSON.stringify(bodyIn(request).variables) === '{}';
      return isIt ? { ...answer, status: 200, body: '{"success":true}' } : answer;
    }),
  ),
  fault(statements.sendProviderIssue, '502', () =>
    on(send, async (request, hands) => {
      const answer = await hands.ask(request);
      return String(bodyIn(request).phone).startsWith('+1500555') && answer.status === 422
        ? { ...answer, status: 502 }
        : answer;
    }),
  ),
];

function code(from: string, to: string): Handler {
  return async (request, hands) => {
    const answer = await hands.ask(request);
    return { ...answer, body: answer.body.replace(`"${from}"`, `"${to}"`) };
  };
}

const track = 'POST /v1/events';
const isRefusedFor =
  (field: string): Handler =>
  async (request, hands) => {
    const json = bodyIn(request);
    const isAlone = json[field] !== undefined && !('phone' in json && 'contactId' in json);
    const answer = await hands.ask(request);
    return isAlone && answer.status === 202 && isOurs(json) ? refuse(400) : answer;
  };
const isOurs = ({ properties }: Json) => properties === undefined;

const eventFaults: readonly NamedFault[] = [
  fault(statements.trackAccepted, '200', () => on(track, status(202, 200))),
  fault(statements.trackAccepted, 'no body', () =>
    on(track, async (request, hands) => {
      const answer = await hands.ask(request);
      return answer.status === 202 ? { ...answer, body: '' } : answer;
    }),
  ),
  fault(statements.trackByContactId, '400', () => on(track, isRefusedFor('contactId'))),
  fault(statements.trackByPhone, '400', () => on(track, isRefusedFor('phone'))),
  fault(statements.trackProperties, 'properties that are refused', () =>
    on(track, async (request, hands) => {
      const answer = await hands.ask(request);
      return answer.status === 202 && !isOurs(bodyIn(request)) ? refuse(400) : answer;
    }),
  ),
  fault(statements.trackProperties, 'nested properties that are refused', () =>
    on(track, async (request, hands) => {
      const answer = await hands.ask(request);
      const isNested = Object.values(propertiesOf(bodyIn(request))).some(
        (value) => typeof value === 'object',
      );
      return answer.status === 202 && isNested ? refuse(400) : answer;
    }),
  ),
  fault(statements.trackNobody, '202 for everybody', () =>
    on(track, async (request, hands) => {
      const answer = await hands.ask(request);
      const isOwn = request.headers.authorization !== undefined && !isOfOther(request);
      return answer.status === 404 && isOwn ? { ...answer, status: 202, body: '{"accepted":true}' } : answer;
    }),
  ),
  fault(statements.trackNobody, '422', () => on(track, status(404, 422))),
  fault(statements.trackAfterCreation, 'a refusal that is remembered', () => {
    const refused = new Set<unknown>();
    return on(track, async (request, hands) => {
      const { phone } = bodyIn(request);
      const answer = await hands.ask(request);
      if (answer.status === 404 && phone !== undefined) refused.add(phone);
      return refused.has(phone) ? refuse(404, 'not_found') : answer;
    });
  }),
];

/** The keys of workspaces that have nothing to do with the fault. */
const otherKeys = new Set<string>();
export const rememberOtherKey = (key: string) => otherKeys.add(`Bearer ${key}`);
const isOfOther = (request: ApiRequest) => otherKeys.has(keyOf(request) ?? '');

const subscribe = 'POST /v1/webhooks';
const fields = statements.subscriptionFields;
const webhookFaults: readonly NamedFault[] = [
  fault(fields, 'enabled as a word', () =>
    on(
      subscribe,
      body((json) => ({ ...json, enabled: 'yes' })),
    ),
  ),
  fault(fields, 'events as one string', () =>
    on(
      subscribe,
      body((json) => ({ ...json, events: String(json.events) })),
    ),
  ),
  fault(fields, 'a url that is left out', () =>
    on(
      subscribe,
      body((json) => without(json, 'url')),
    ),
  ),
  fault(statements.subscriptionCreatedAt, 'an ISO string', () =>
    on(
      subscribe,
      body((json) => ({ ...json, createdAt: new Date(Number(json.createdAt)).toISOString() })),
    ),
  ),
  fault(statements.subscriptionCreatedAt, 'seconds', () =>
    on(
      subscribe,
      body((json) => ({ ...json, createdAt: Math.floor(Number(json.createdAt) / 1000) })),
    ),
  ),
  fault(statements.subscriptionCreatedAt, 'a day of 2002', () =>
    on(
      subscribe,
      body((json) => ({ ...json, createdAt: Date.UTC(2002, 0, 1) })),
    ),
  ),
  fault(statements.subscriptionCreatedAt, 'microseconds', () =>
    on(
      subscribe,
      body((json) => ({ ...json, createdAt: Number(json.createdAt) * 1000 })),
    ),
  ),
  fault(statements.subscriptionCreatedAt, 'none', () =>
    on(
      subscribe,
      body((json) => without(json, 'createdAt')),
    ),
  ),
  fault(statements.subscribe, '200', () => on(subscribe, status(201, 200))),
  fault(statements.subscribe, 'another url', () =>
    on(
      subscribe,
      body((json) => ({ ...json, url: 'https://example.com/' })),
    ),
  ),
  fault(statements.subscribeSecret, 'a secret without prefix', () =>
    on(
      subscribe,
      body((json) => ({ ...json, secret: String(json.secret).replace('whsec_', '') })),
    ),
  ),
  fault(statements.subscribeSecret, 'no secret', () =>
    on(
      subscribe,
      body((json) => without(json, 'secret')),
    ),
  ),
  fault(statements.listSubscriptions, 'an empty list', () =>
    on(
      'GET /v1/webhooks',
      body(() => ({ data: [] })),
    ),
  ),
  fault(statements.listSubscriptions, '501', () => on('GET /v1/webhooks', status(200, 501))),
  fault(statements.unsubscribe, '202', () => on('DELETE /v1/webhooks/:id', status(204, 202))),
  fault(statements.unsubscribe, 'a subscription that stays', () => {
    const kept: Json[] = [];
    return {
      async api(request, hands) {
        const isList = request.method === 'GET' && request.path === '/v1/webhooks';
        if (isList && !isOfOther(request)) {
          return body((json) => ({ data: [...(json.data as Json[]), ...kept] }))(request, hands);
        }
        if (request.method === 'DELETE' && request.path.startsWith('/v1/webhooks/')) {
          const answer = await hands.ask(request);
          if (answer.status === 204) kept.push({ id: request.path.split('/').at(-1) ?? '' });
          return answer;
        }
        return hands.ask(request);
      },
    };
  }),
  fault(statements.subscriptionEnabled, 'enabled: false', () =>
    on(
      subscribe,
      body((json) => ({ ...json, enabled: false })),
    ),
  ),
];

const templateFaults: readonly NamedFault[] = [
  fault(statements.templateId, 'an id that is a number', () =>
    on(
      'GET /v1/templates',
      body((json) => ({ data: [...(json.data as Json[]), { id: 42 }] })),
    ),
  ),
  fault(statements.listTemplates, 'a list without the approved one', () =>
    on(
      'GET /v1/templates',
      body((json) => ({ data: (json.data as Json[]).filter(({ id }) => id !== 'order_update') })),
    ),
  ),
  fault(statements.listTemplates, '404', () => on('GET /v1/templates', status(200, 404))),
];

const withKeyOf =
  (key: () => string): Handler =>
  (request, hands) =>
    hands.ask({ ...request, headers: { ...request.headers, authorization: `Bearer ${key()}` } });

const bare = statements.keyRequired;

/** Each endpoint, let in without a key. */
const openEndpoints = [
  'POST /v1/contacts',
  'GET /v1/contacts/find',
  'GET /v1/contacts/:id',
  'PUT /v1/contacts/:id',
  'DELETE /v1/contacts/:id',
  'POST /v1/transactional',
  'POST /v1/events',
  'POST /v1/webhooks',
  'GET /v1/webhooks',
  'DELETE /v1/webhooks/:id',
  'GET /v1/templates',
];

export function accessFaults(apiKey: () => string): readonly NamedFault[] {
  const instead = withKeyOf(apiKey);
  const otherWith = (endpoint: string) =>
    on(endpoint, (request, hands) => (isOfOther(request) ? instead : hands.ask)(request, hands));
  return [
    fault(statements.keyAccepted, '403 for everybody', () => ({
      api: async () => refuse(403, 'forbidden'),
    })),
    ...openEndpoints.map((endpoint) =>
      fault(bare, `${endpoint} without a key`, () =>
        on(endpoint, (request, hands) =>
          (keyOf(request) === undefined ? instead : hands.ask)(request, hands),
        ),
      ),
    ),
    fault(statements.keyValid, 'any key', () => ({
      api: (request, hands) => (keyOf(request)?.includes('made-up') ? instead : hands.ask)(request, hands),
    })),
    fault(statements.contactsOwned, 'find for everybody', () => otherWith('GET /v1/contacts/find')),
    fault(statements.contactsOwned, 'get for everybody', () => otherWith('GET /v1/contacts/:id')),
    fault(statements.contactsNotUpdated, 'update for everybody', () => otherWith('PUT /v1/contacts/:id')),
    fault(statements.contactsNotDeleted, 'delete for everybody', () => otherWith('DELETE /v1/contacts/:id')),
    fault(statements.contactsNotSentTo, 'sends for everybody', () => otherWith('POST /v1/transactional')),
    fault(statements.subscriptionsNotDeleted, 'deletions for everybody', () =>
      otherWith('DELETE /v1/webhooks/:id'),
    ),
    fault(statements.eventsOwned, 'events for everybody', () => otherWith('POST /v1/events')),
    fault(statements.eventsOwned, 'events for everybody, by phone', () =>
      on('POST /v1/events', (request, hands) =>
        (isOfOther(request) && bodyIn(request).phone !== undefined ? instead : hands.ask)(request, hands),
      ),
    ),
    fault(statements.subscriptionsOwned, 'one list for everybody', () => otherWith('GET /v1/webhooks')),
  ];
}

/** Changes what every delivery says, and signs it anew. */
function delivered(change: (json: Json, delivery: Delivery) => unknown): () => Fault {
  return () => ({
    delivery(delivery, hands) {
      const changed = JSON.stringify(change(JSON.parse(delivery.body), delivery));
      return hands.deliver(signed({ ...delivery, body: changed }, hands));
    },
  });
}

const signed = (delivery: Delivery, { sign }: Hands): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, 'x-service-signature': sign(delivery) },
});

const withHeaders = (
  change: (headers: Record<string, string>, delivery: Delivery, hands: Hands) => Record<string, string>,
): (() => Fault) => {
  return () => ({
    delivery: (delivery, hands) =>
      hands.deliver({ ...delivery, headers: change({ ...delivery.headers }, delivery, hands) }),
  });
};

const dataOf = (json: Json): Json => ({ ...(json.data as Json) });
const isMessage = ({ event }: Json) => event === 'message.received';
const message = statements.messageData;
const onMessages = (change: (data: Json) => Json) =>
  delivered((json) => (isMessage(json) ? { ...json, data: change(dataOf(json)) } : json));
const envelope = statements.deliveryBody;
const timestamp = statements.deliveryTimestamp;
const signature = statements.signature;
const noKey = statements.signatureInsteadOfKey;

export function deliveryFaults(apiKey: () => string): readonly NamedFault[] {
  return [
    fault(statements.messageReceived, 'no delivery of messages', () => ({
      delivery: async (delivery, hands) =>
        isMessage(JSON.parse(delivery.body)) ? 200 : hands.deliver(delivery),
    })),
    fault(
      statements.messageReceived,
      'another name',
      delivered((json) => (isMessage(json) ? { ...json, event: 'message_received' } : json)),
    ),
    fault(statements.optedIn, 'no delivery', () => ({
      delivery: async (delivery, hands) =>
        delivery.body.includes('contact.opted_in') ? 200 : hands.deliver(delivery),
    })),
    fault(statements.optedOut, 'no delivery', () => ({
      delivery: async (delivery, hands) =>
        delivery.body.includes('contact.opted_out') ? 200 : hands.deliver(delivery),
    })),
    fault(
      statements.deliveryRequest,
      'JSON that is called text',
      withHeaders((headers) => ({ ...headers, 'content-type': 'text/plain' })),
    ),
    fault(statements.deliveryRequest, 'PUT', () => ({
      delivery: async ({ url, headers, body: text }) =>
        (await fetch(url, { method: 'PUT', headers: { ...headers }, body: text })).status,
    })),
    fault(statements.deliveryRequest, 'a form', () => ({
      delivery: (delivery, hands) =>
        hands.deliver(signed({ ...delivery, body: `json=${encodeURIComponent(delivery.body)}` }, hands)),
    })),
    fault(statements.deliveryOfSubscribed, 'messages to everybody', () => ({
      async delivery(delivery, hands) {
        if (delivery.body.includes('"contact.opted_out"')) {
          const json = { ...JSON.parse(delivery.body), event: 'contact.opted_in' };
          await hands.deliver(signed({ ...delivery, body: JSON.stringify(json) }, hands));
        }
        return hands.deliver(delivery);
      },
    })),
    fault(statements.deliveryToEach, 'only the first', () => ({
      delivery: async (delivery, hands) =>
        delivery.url.endsWith('/received') ? 200 : hands.deliver(delivery),
    })),
    fault(
      envelope,
      'no workspaceId',
      delivered((json) => without(json, 'workspaceId')),
    ),
    fault(
      envelope,
      'no event',
      delivered((json) => without(json, 'event')),
    ),
    fault(
      envelope,
      'data as a string',
      delivered((json) => ({ ...json, data: JSON.stringify(json.data) })),
    ),
    fault(
      envelope,
      'a timestamp in milliseconds',
      delivered((json) => ({ ...json, timestamp: 1_790_000_000_000 })),
    ),
    fault(
      timestamp,
      'no milliseconds',
      delivered((json) => ({ ...json, timestamp: String(json.timestamp).replace(/\.\d+Z$/, 'Z') })),
    ),
    fault(
      timestamp,
      'an offset',
      delivered((json) => ({ ...json, timestamp: String(json.timestamp).replace('Z', '+00:00') })),
    ),
    ...['conversationId', 'messageId', 'contactId', 'phone', 'type', 'body', 'receivedAt'].map((field) =>
      fault(
        message,
        `no ${field}`,
        onMessages((data) => without(data, field)),
      ),
    ),
    fault(
      message,
      'receivedAt without milliseconds',
      onMessages((data) => ({ ...data, receivedAt: String(data.receivedAt).replace(/\.\d+Z$/, 'Z') })),
    ),
    fault(
      message,
      'the phone of another',
      onMessages((data) => ({ ...data, phone: '+442071838750' })),
    ),
    fault(
      message,
      'an empty body',
      onMessages((data) => ({ ...data, body: '' })),
    ),
    fault(
      message,
      'the contactId of nobody',
      onMessages((data) => ({ ...data, contactId: 'contact_of_nobody' })),
    ),
    fault(
      message,
      'one messageId for all',
      onMessages((data) => ({ ...data, messageId: 'message_1' })),
    ),
    fault(
      message,
      'receivedAt in 1970',
      onMessages((data) => ({ ...data, receivedAt: '1970-01-01T00:00:00.000Z' })),
    ),
    fault(
      timestamp,
      'a day of 1970',
      delivered((json) => ({ ...json, timestamp: '1970-01-01T00:00:00.000Z' })),
    ),
    fault(statements.messageReceived, 'no delivery of STOP', () => ({
      delivery: async (delivery, hands) => {
        const json = JSON.parse(delivery.body);
        return isMessage(json) && dataOf(json).body === 'STOP' ? 200 : hands.deliver(delivery);
      },
    })),
    fault(statements.deliveryEnds, 'one more', () => {
      let first: Delivery | undefined;
      return {
        async delivery(delivery, hands) {
          if (delivery.url.endsWith('/received')) first ??= delivery;
          const isAfter = delivery.body.includes('Hello again') && first !== undefined;
          if (isAfter && first) {
            await hands.deliver(signed({ ...delivery, url: first.url }, hands));
          }
          return hands.deliver(delivery);
        },
      };
    }),
    fault(
      statements.signatureHeader,
      'none',
      withHeaders(({ 'x-service-signature': _, ...headers }) => headers),
    ),
    fault(
      statements.signatureHeader,
      'another header',
      withHeaders(({ 'x-service-signature': value = '', ...headers }) => ({
        ...headers,
        'x-signature': value,
      })),
    ),
    fault(
      signature,
      'Base64',
      withHeaders((headers) => ({
        ...headers,
        'x-service-signature': Buffer.from(headers['x-service-signature'] ?? '', 'hex').toString('base64'),
      })),
    ),
    fault(
      signature,
      'a signature with a prefix',
      withHeaders((headers) => ({
        ...headers,
        'x-service-signature': `sha256=${headers['x-service-signature']}`,
      })),
    ),
    fault(signature, 'the body written anew', () => ({
      delivery: (delivery, hands) =>
        hands.deliver({ ...delivery, body: JSON.stringify(JSON.parse(delivery.body), null, 1) }),
    })),
    fault(
      noKey,
      'the key',
      withHeaders((headers) => ({ ...headers, authorization: `Bearer ${apiKey()}` })),
    ),
    fault(
      noKey,
      'the key elsewhere',
      withHeaders((headers) => ({ ...headers, 'x-api-key': apiKey() })),
    ),
    fault(statements.trackedNotDelivered, 'a delivery', () =>
      on(track, async (request, hands) => {
        const answer = await hands.ask(request);
        const { event, properties: data = {} } = bodyIn(request);
        const url = hands.urls.find((each) => each.endsWith('/received'));
        if (answer.status === 202 && url !== undefined) {
          const text = JSON.stringify({ event, workspaceId: 'w', timestamp: new Date().toISOString(), data });
          const headers = { 'content-type': 'application/json' };
          await hands.deliver(signed({ url, headers, body: text }, hands));
        }
        return answer;
      }),
    ),
    fault(statements.deliveryAcknowledged, '202 taken for a failure', () => ({
      async delivery(delivery, hands) {
        const answered = await hands.deliver(delivery);
        return answered === 202 ? hands.deliver(delivery) : answered;
      },
    })),
    fault(statements.deliveryRetries, 'one retry', () => {
      const attempts = new Map<string, number>();
      return {
        async delivery(delivery, hands) {
          const answered = await hands.deliver(delivery);
          const count = (attempts.get(delivery.url) ?? 0) + 1;
          attempts.set(delivery.url, count);
          return answered >= 500 && count === 2 ? 200 : answered;
        },
      };
    }),
    fault(statements.deliveryRetries, 'a fourth attempt, later', () => {
      let failures = 0;
      return {
        async delivery(delivery, hands) {
          const answered = await hands.deliver(delivery);
          if (answered >= 500) failures += 1;
          if (answered >= 500 && failures === 3) hands.later(() => hands.deliver(delivery));
          return answered;
        },
      };
    }),
    fault(statements.retryBackoff, 'retries at once', () => ({
      async delivery(delivery, hands) {
        let answered = await hands.deliver(delivery);
        for (let retries = 0; retries < 2 && answered >= 500; retries += 1) {
          answered = await hands.deliver(delivery);
        }
        return 200;
      },
    })),
    fault(statements.deliveryRetries, 'three retries', () => ({
      async delivery(delivery, hands) {
        const answered = await hands.deliver(delivery);
        return answered >= 500 ? hands.deliver(delivery) : answered;
      },
    })),
  ];
}

/** At least one for every statement that can be broken. */
export function allFaults(apiKey: () => string): readonly NamedFault[] {
  return [
    ...contactFaults,
    ...sendFaults,
    ...eventFaults,
    ...webhookFaults,
    ...templateFaults,
    ...accessFaults(apiKey),
    ...deliveryFaults(apiKey),
  ];
}
