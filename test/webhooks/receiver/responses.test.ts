import {
  ConfigurationError,
  createWebhookReceiver,
  type ReceivedRequest,
  RefusedRequestError,
  signatureHeader,
  signWebhook,
  UnreadableBodyError,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesOf, handledBy, message, receiverOf, requestOf, secret, timestamp } from './receive.js';

const header = signatureHeader.toLowerCase();
const right = signWebhook(bytesOf(message), secret);
const hour = 3_600_000;
const at = (offset: number) => new Date(Date.parse(timestamp) + offset).toISOString();

// Many of these receivers have no handler, of which they warn.
beforeEach(() => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => warn.mockRestore();
});

describe('a delivery that is right', () => {
  test('is handled, then acknowledged with nothing more than 204', async () => {
    const { receiver, handler, log, clock } = handledBy();
    expect(await receiver.receive(requestOf(message))).toEqual({ status: 204, headers: {}, body: '' });
    expect(handler).toHaveBeenCalledOnce();
    expect(handler.mock.calls[0]?.[0]).toEqual(message);
    expect(handler.mock.calls[0]?.[1]).toMatchObject({
      request: 'the request',
      rawBody: bytesOf(message),
      remaining: 4_500,
    });
    expect(log).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test.each([
    ['Headers', new Headers({ [signatureHeader]: right })],
    ['a record in capitals', { 'X-SERVICE-SIGNATURE': right, get: 'a header of that name' }],
    ['a list of one', { [header]: [right] }],
    ['a second spelling without a value', { [signatureHeader]: undefined, [header]: right }],
    ['one of the same length beside it', { 'x-service-signaturf': 'x', [header]: right }],
  ])('may have its signature in %s', async (_, headers) => {
    expect(await receiverOf().status(message, { headers })).toBe(204);
  });

  test.each(['identity', ' Identity ', ''])('may have a content-encoding of "%s"', async (encoding) => {
    const headers = { [header]: right, 'content-encoding': encoding, 'content-length': '1048576' };
    expect(await receiverOf().status(message, { headers })).toBe(204);
  });

  test('goes by the machine clock, and to the console with a failure, by default', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('no room');
    const options = { clock: undefined, onError: undefined };
    const { status } = handledBy(options, () => Promise.reject(failure));
    expect(await status({ ...message, timestamp: new Date().toISOString() })).toBe(500);
    expect(print.mock.calls).toEqual([[failure]]);
    print.mockRestore();
  });
});

test.each(['GET', 'HEAD', 'PUT', 'OPTIONS', 'POSTS', ''])(
  'a request by %s gets 405, unread, and onRefused is called',
  async (method) => {
    const readBody = vi.fn();
    const { receiver, log } = receiverOf();
    const response = await receiver.receive(requestOf(message, { method, readBody }));
    expect(response).toEqual({ status: 405, headers: { Allow: 'POST' }, body: '' });
    expect(readBody).not.toHaveBeenCalled();
    expect(log).toEqual([['refused', expect.any(RefusedRequestError), 'the request']]);
    expect(log[0]?.[1]).toMatchObject({
      reason: 'wrong_method',
      message:
        'The request is not a POST, so it is not a delivery. A browser, a crawler or a health check may have sent it.',
    });
  },
);

const tooLarge =
  'The body has more than 1048576 bytes, the most that this receiver takes. Raise maxBodyBytes if deliveries are that large.';
const compressed =
  'The body is compressed (it has a Content-Encoding), which the service never does. If a proxy in front of the ' +
  'receiver compresses requests, turn that off.';

describe('what the headers decide gets a response before the body is read', () => {
  const gzip = { [header]: right, 'Content-Encoding': 'gzip' };
  const twice = new Headers([
    [header, right],
    [header, right],
  ]);
  test.each<[string, number, ReceivedRequest<string>['headers'], string?]>([
    ['missing_signature', 401, {}],
    ['missing_signature', 401, Object.create({ [header]: right })],
    ['malformed_signature', 401, { [header]: 'not hex' }],
    ['malformed_signature', 401, { [header]: 'é'.repeat(64) }],
    ['ambiguous_signature', 401, { [header]: [right, right] }],
    ['ambiguous_signature', 401, { [header]: right, [signatureHeader]: right }],
    ['ambiguous_signature', 401, twice],
    ['encoded', 415, gzip, compressed],
    ['encoded', 415, { [header]: right, 'content-encoding': ['identity', 'br'] }, compressed],
    ['too_large', 413, { [header]: right, 'content-length': '1048577' }, tooLarge],
    ['too_large', 413, new Headers({ [header]: right, 'Content-Length': '9'.repeat(400) }), tooLarge],
  ])('%s: %i', async (reason, status, headers, text) => {
    const { handler, log, receiver } = handledBy();
    const readBody = vi.fn();
    const response = await receiver.receive(requestOf(message, { headers, readBody }));
    expect(response).toEqual({ status, headers: {}, body: '' });
    expect(readBody).not.toHaveBeenCalled();
    expect(log).toEqual([['refused', expect.objectContaining({ reason }), 'the request']]);
    expect(log[0]?.[1]).toMatchObject({ message: text ?? expect.stringMatching(/signature/i) });
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('what the body decides gets a response', () => {
  test.each<[string, number, unknown, Partial<WebhookReceiverOptions<string>>]>([
    ['signature_mismatch', 401, message, { secret: 'whsec_of_another' }],
    ['invalid_encoding', 400, Uint8Array.of(0x22, 0xff, 0x22), {}],
    ['invalid_json', 400, 'hello', {}],
    ['unexpected_shape', 400, { ...message, data: {} }, { validation: 'strict' }],
    ['too_old', 400, { ...message, timestamp: at(-24 * hour - 1) }, {}],
    ['too_new', 400, { ...message, timestamp: at(hour) }, {}],
  ])('%s: %i', async (reason, status, body, options) => {
    const { handler, receiver, log } = handledBy(options);
    expect(await receiver.receive(requestOf(body))).toEqual({ status, headers: {}, body: '' });
    expect(log).toEqual([['refused', expect.objectContaining({ reason }), 'the request']]);
    expect(handler).not.toHaveBeenCalled();
  });

  test.each([
    ['too_large', 413, 'refused'],
    ['encoded', 415, 'refused'],
    ['aborted', 400, 'refused'],
    ['parsed', 500, 'error'],
    ['consumed', 500, 'error'],
  ] as const)('%s by the adapter: %i', async (reason, status, hook) => {
    const { receiver, log } = receiverOf();
    const error = new UnreadableBodyError(reason, 'the framework and its fix');
    const response = await receiver.receive(requestOf(message, { readBody: () => Promise.reject(error) }));
    expect(response).toEqual({ status, headers: {}, body: '' });
    expect(log).toEqual([[hook, error, expect.anything()]]);
  });

  test('500, if the adapter fails in another way', async () => {
    const { log, status } = receiverOf();
    const readBody = () => {
      throw new Error('at once');
    };
    expect(await status(message, { readBody })).toBe(500);
    const failure = { request: 'the request', event: undefined, willBeRetried: true };
    expect(log).toEqual([['error', new Error('at once'), failure]]);
  });

  test('413 above a mebibyte or maxBodyBytes, even if the adapter did not count', async () => {
    const limits: number[] = [];
    const body = bytesOf(message);
    const readBody = async (limit: number) => {
      limits.push(limit);
      return body;
    };
    expect(await receiverOf().status(message, { readBody })).toBe(204);
    expect(await receiverOf({ maxBodyBytes: body.length }).status(message, { readBody })).toBe(204);
    expect(await receiverOf({ maxBodyBytes: body.length - 1 }).status(message, { readBody })).toBe(413);
    expect(limits).toEqual([1_048_576, body.length, body.length - 1]);
  });

  test('413 for a whole body that is too large, before the secret is asked for', async () => {
    const secret = vi.fn();
    const { status } = receiverOf({ secret, maxBodyBytes: 10 });
    expect(await status(message, { readBody: () => bytesOf(message) })).toBe(413);
    expect(secret).not.toHaveBeenCalled();
  });
});

const forged = { [header]: '0'.repeat(64) };
const advice = 'Read the bytes of the body.';

test('a body that came as text gets 401 if its signature does not match, and onRefused learns what to do about it', async () => {
  const { log, status } = receiverOf();
  for (const adviceOnDecodedBody of [undefined, () => advice, () => undefined])
    expect(await status(message, { headers: forged, adviceOnDecodedBody })).toBe(401);
  const [without, withAdvice, withNone] = log.map(([, error]) => error);
  if (!(without instanceof Error)) return expect.unreachable();
  expect(without).toMatchObject({ reason: 'signature_mismatch' });
  expect(without.message).not.toContain(advice);
  expect(withAdvice).toMatchObject({
    reason: 'signature_mismatch',
    message: `${without.message} ${advice}`,
  });
  expect(withNone).toEqual(without);
});

test('a receiver of one workspace takes its deliveries and refuses those of another', async () => {
  const { handler, log, status } = handledBy({ workspaceId: message.workspaceId });
  expect(await status(message)).toBe(204);
  expect(await status({ ...message, workspaceId: 'workspace_2' })).toBe(400);
  expect(await status({ ...message, workspaceId: undefined })).toBe(400);
  expect(handler).toHaveBeenCalledOnce();
  const text =
    "The delivery is authentic, but of another workspace than the receiver's workspaceId. Check that the subscription " +
    'was created with a key of that workspace.';
  const refused = ['refused', { reason: 'wrong_workspace', message: text }, 'the request'];
  expect(log).toMatchObject([refused, refused]);
});

describe('a secret', () => {
  test.each<[string, WebhookReceiverOptions<string>['secret'], number]>([
    ['the only one', secret, 0],
    ['the second', ['whsec_new', secret, 'whsec_older'], 1],
    ['one that depends on the request', (request) => (request === 'the request' ? secret : 'other'), 0],
    ['one of several that depend on it, later', async () => ['whsec_new', secret], 1],
    ['one in bytes', ['whsec_new', new TextEncoder().encode(secret)], 1],
  ])('that signed a delivery is named by its place: %s', async (_, given, index) => {
    const { context, status } = handledBy({ secret: given });
    expect(await status(message)).toBe(204);
    expect(context()?.secretIndex).toBe(index);
    expect(JSON.stringify(context())).not.toContain(secret);
  });

  test.each([undefined, null, []])('that is %j for a request refuses it', async (none) => {
    const { log, status } = receiverOf({ secret: () => none });
    expect(await status(message)).toBe(401);
    expect(log[0]?.[1]).toMatchObject({
      reason: 'signature_mismatch',
      message:
        'The delivery is for a subscription whose secret is not known. Keep the secret that the service returns when it ' +
        'creates the subscription.',
    });
  });

  test('is not asked for when the signature has not the right form', async () => {
    const ask = vi.fn(() => secret);
    expect(await receiverOf({ secret: ask }).status(message, { headers: { [header]: 'x' } })).toBe(401);
    expect(ask).not.toHaveBeenCalled();
  });

  test.each<[string, WebhookReceiverOptions<string>['secret']]>([
    ['is empty', ''],
    ['is a prefix for the request', () => 'whsec_'],
    ['is not there', undefined as unknown as string],
    ['cannot be had', () => Promise.reject(new TypeError('the vault is shut'))],
  ])('that %s gets 500 and reported', async (_, broken) => {
    const { log, status } = receiverOf({ secret: broken });
    expect(await status(message)).toBe(500);
    expect(log).toEqual([['error', expect.any(TypeError), expect.objectContaining({ willBeRetried: true })]]);
  });
});

test.each(['', undefined, null])('a receiver with the secret %j warns of it when it is created', (secret) => {
  const warned = vi.mocked(process.emitWarning);
  Reflect.apply(createWebhookReceiver, undefined, [{ secret }]);

  expect(String(warned.mock.calls[0]?.[0])).toContain(
    'without a secret, so it responds to each delivery with 500',
  );
});

test.each([[[]], [['whsec_a', undefined]], [['']]])(
  'a receiver with the secrets %j warns that one is missing',
  (secret) => {
    const warned = vi.mocked(process.emitWarning);
    Reflect.apply(createWebhookReceiver, undefined, [{ secret }]);

    expect(String(warned.mock.calls[0]?.[0])).toContain('without one of its secrets');
  },
);

test.each([42, true, {}])('a receiver refuses what is no secret: %j', (secret) => {
  expect(() => Reflect.apply(createWebhookReceiver, undefined, [{ secret }])).toThrow(ConfigurationError);
});
