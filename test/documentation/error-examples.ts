import {
  type ClientOptions,
  createMemoryKeyValueStore,
  MessagingAutomation,
  NotSentError,
  type SendGuard,
  type SendOptions,
} from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import {
  createWebhookReceiver,
  ReceiverDeadlineError,
  signTestDelivery,
  toFetchHandler,
  unwrapWebhook,
} from 'messaging-automation/webhooks';
import { manualClock } from '../client/support/clocks.js';

const phone = '+15551234567';
const secret = 'whsec_example';
const url = 'https://app.example.com/webhooks';

/** How each error comes about that the guide on errors quotes, by the name of its class. */
export const errorExamples: Readonly<Record<string, () => Promise<unknown>>> = {
  ApiError: () => responded(302, '').contacts.get('unknown'),
  BadRequestError: () =>
    responded(400, {
      code: 'invalid_request',
      message: 'The body is not right.',
      details: [{ field: 'properties.phone', message: 'cannot be changed' }],
    }).contacts.update('contact_1', { properties: { city: 'London' } }),
  AuthenticationError: () =>
    responded(401, { code: 'unauthorized', message: 'The API key is not valid.' }).templates.list(),
  PermissionError: () => responded(403, { code: 'forbidden' }).webhooks.list(),
  QuotaExceededError: () => send(responded(402, { code: 'quota_exceeded' })),
  NotFoundError: () => send(responded(404, { code: 'not_found' })),
  SendFailedError: () => send(responded(422, { code: 'send_failed' })),
  RateLimitError: () => responded(429, { code: 'rate_limited' }).templates.list(),
  ServerError: () => send(responded(500, { code: 'internal_error' })),
  ConnectionError: () =>
    client({
      fetch: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    }).templates.list(),
  TimeoutError: () => {
    const clock = manualClock();
    return client({ clock, timeout: 200, fetch: withoutResponse(() => clock.advance(200)) }).templates.list();
  },
  InvalidInputError: () => client({}).contacts.upsert({ phone: '555 1234' }),
  IdempotencyError: async () => {
    const idempotencyStore = createMemoryKeyValueStore();
    const options = { idempotencyKey: 'order-1001-shipped' };
    await send(responded(500, {}).withOptions({ idempotencyStore }), options).catch(() => {});
    await send(responded(500, {}).withOptions({ idempotencyStore }), options);
  },
  SendBlockedError: () => guarded(() => 'the contact has opted out'),
  SendGuardError: () => guarded(() => Promise.reject(new Error('connect ECONNREFUSED'))),
  UnusableResponseError: () => responded(200, '<html>').templates.list(),
  ResponseTooLargeError: () =>
    client({ fetch: async () => new Response('x'.repeat(10_485_761)) }).templates.list(),
  MiddlewareError: () =>
    client({
      middleware: [() => Promise.reject(new Error('No messages at night.'))],
    }).templates.list(),
  ApiKeyUnavailableError: () =>
    client({ apiKey: () => Promise.reject(new Error('The vault is sealed.')) }).templates.list(),
  NotConfiguredError: () => client({ apiKey: '' }).templates.list(),
  ConfigurationError: async () => client({ timeout: -1 }),
  NotSentError: async () => {
    throw new NotSentError(undefined);
  },
  WebhookVerificationError: async () => unwrapWebhook('{}', 'a'.repeat(64), secret),
  UnreadableBodyError: () => refused({ 'content-encoding': 'gzip' }),
  RefusedRequestError: () => refused({}, 'PUT'),
  ReceiverError: () =>
    new Promise((_, reject) => {
      const clock = manualClock();
      const receiver = createWebhookReceiver({
        secret,
        clock,
        dedupe: false,
        tolerance: false,
        onError: reject,
      });
      receiver.on('message.received', () => {
        setImmediate(() => clock.advance(900_000)); // once the timers of the delivery are set
        return new Promise(() => undefined);
      });
      const { body, headers } = signTestDelivery({ secret });
      void toFetchHandler(receiver)(new Request(url, { method: 'POST', body, headers }));
    }),
  ReceiverDeadlineError: async () => {
    throw new ReceiverDeadlineError('secret', 4_500);
  },
  WaitTimeoutError: async () => {
    await using server = createReferenceServer();
    await server.sends.waitFor({ templateId: 'welcome' }, { timeout: '10ms' });
  },
};

function client(options: ClientOptions): MessagingAutomation {
  return new MessagingAutomation({
    apiKey: 'test_key',
    baseUrl: 'https://messaging.example.com/api',
    retries: 0,
    ...options,
  });
}

/** A client whose service responds to every request alike. */
function responded(status: number, body: string | object): MessagingAutomation {
  const text = typeof body === 'string' ? body : JSON.stringify({ error: body });
  return client({ fetch: async () => new Response(text, { status }) });
}

function send(messaging: MessagingAutomation, options: SendOptions = {}): Promise<unknown> {
  return messaging.transactional.send({ phone, templateId: 'order_update' }, options);
}

function guarded(check: SendGuard['check']): Promise<unknown> {
  return send(client({ guards: [{ check }] }));
}

/** A service that never responds. */
function withoutResponse(requested: () => void): typeof fetch {
  return () => {
    queueMicrotask(requested);
    return new Promise(() => undefined);
  };
}

function refused(headers: Record<string, string>, method = 'POST'): Promise<unknown> {
  return new Promise((_, reject) => {
    const receiver = createWebhookReceiver({ secret, onRefused: reject });
    const { body, headers: signed } = signTestDelivery({ secret });
    void toFetchHandler(receiver)(new Request(url, { method, body, headers: { ...signed, ...headers } }));
  });
}
