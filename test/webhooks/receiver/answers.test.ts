import {
  type ReceivedHeaders,
  RefusedRequestError,
  signatureHeader,
  signWebhook,
  UnreadableBodyError,
  type UnreadableBodyReason,
  type WebhookContext,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesOf, message, messageOf, receiverOf, requestOf, secret, timestamp } from './receive.js';

const header = signatureHeader.toLowerCase();
const right = signWebhook(bytesOf(message), secret);
const hour = 3_600_000;

// Many of these receivers have no handler, of which they warn.
beforeEach(() => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => warn.mockRestore();
});

describe('a delivery that is right', () => {
  test('is handled, then acknowledged with nothing more than 204', async () => {
    const { receiver, log, clock } = receiverOf();
    const handler = vi.fn();
    receiver.on('message.received', handler);
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
    ['a record as written', { [signatureHeader]: right }],
    ['a record in capitals', { 'X-SERVICE-SIGNATURE': right, get: 'a header of that name' }],
    ['a list of one', { [header]: [right] }],
    ['a second spelling without a value', { [signatureHeader]: undefined, [header]: right }],
    ['a first spelling, and a second without a value', { [header]: right, [signatureHeader]: undefined }],
    ['a second spelling of an empty list', { [signatureHeader]: [], [header]: right }],
    ['one of the same length beside it', { 'x-service-signaturf': 'x', [header]: right }],
  ])('may have its signature in %s', async (_, headers) => {
    expect(await receiverOf().status(message, { headers })).toBe(204);
  });

  test('may be signed with any of several secrets', async () => {
    expect(await receiverOf({ secret: ['whsec_new', secret] }).status(message)).toBe(204);
  });

  test('goes by the machine clock, and to the console with a failure, unless told otherwise', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { receiver, status } = receiverOf({ clock: undefined, onError: undefined });
    const failure = new Error('no room');
    receiver.on('message.received', () => Promise.reject(failure));
    expect(await status({ ...message, timestamp: new Date().toISOString() })).toBe(500);
    expect(print.mock.calls).toEqual([[failure]]);
    print.mockRestore();
  });
});

describe('a request that is not a delivery', () => {
  test.each(['GET', 'HEAD', 'PUT', 'OPTIONS', 'POSTS', ''])(
    'by %s is answered 405, unread, and told to onRefused',
    async (method) => {
      const readBody = vi.fn();
      const { receiver, log } = receiverOf();
      const answer = await receiver.receive(requestOf(message, { method, readBody }));
      expect(answer).toEqual({ status: 405, headers: { Allow: 'POST' }, body: '' });
      expect(readBody).not.toHaveBeenCalled();
      expect(log).toEqual([['refused', expect.any(RefusedRequestError), 'the request']]);
      expect(log[0]?.[1]).toMatchObject({ reason: 'wrong_method' });
    },
  );

  test('may give its method in lower case', async () => {
    expect(await receiverOf().status(message, { method: 'post' })).toBe(204);
  });

  test.each([
    ['missing_signature', {}],
    ['missing_signature', new Headers()],
    ['missing_signature', { [header]: [] }],
    ['missing_signature', Object.create({ [header]: right })],
    ['missing_signature', { 'x-another-header': right }],
    ['malformed_signature', { [header]: 'é'.repeat(64) }],
    ['ambiguous_signature', { [header]: [right, right] }],
    ['ambiguous_signature', { [header]: right, [signatureHeader]: right }],
    ['ambiguous_signature', { [header]: `${right}, ${right}` }],
    [
      'ambiguous_signature',
      new Headers([
        [header, right],
        [header, right],
      ]),
    ],
    ['signature_mismatch', { [header]: '0'.repeat(64) }],
  ])('is answered 401: %s', async (reason, headers) => {
    const { receiver, log } = receiverOf();
    const handler = vi.fn();
    receiver.on('message.received', handler);
    const answer = await receiver.receive(requestOf(message, { headers }));
    expect(answer).toEqual({ status: 401, headers: {}, body: '' });
    expect(log).toEqual([['refused', expect.objectContaining({ reason }), 'the request']]);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('a body that came as text', () => {
  const forged = { [header]: '0'.repeat(64) };
  const advice = 'Read the bytes of the body.';

  test('is answered 401 where its signature does not match, and onRefused is told what to do about it', async () => {
    const { log, status } = receiverOf();
    expect(await status(message, { headers: forged })).toBe(401);
    expect(await status(message, { headers: forged, adviceOnDecodedBody: () => advice })).toBe(401);
    expect(await status(message, { headers: forged, adviceOnDecodedBody: () => undefined })).toBe(401);
    const [without, withAdvice, withNone] = log.map(([, error]) => error);
    expect(without).toMatchObject({
      reason: 'signature_mismatch',
      message: expect.not.stringContaining(advice),
    });
    if (!(without instanceof Error)) return expect.unreachable();
    expect(withAdvice).toMatchObject({
      reason: 'signature_mismatch',
      message: `${without.message} ${advice}`,
    });
    expect(withNone).toEqual(without);
  });

  test('is refused for any other reason without advice', async () => {
    const adviceOnDecodedBody = vi.fn(() => advice);
    const { log, status } = receiverOf();
    expect(await status('hello', { adviceOnDecodedBody })).toBe(400);
    expect(await status(message, { headers: {}, adviceOnDecodedBody })).toBe(401);
    expect(log).toMatchObject([
      ['refused', { reason: 'invalid_json' }, 'the request'],
      ['refused', { reason: 'missing_signature' }, 'the request'],
    ]);
    expect(adviceOnDecodedBody).not.toHaveBeenCalled();
  });
});

describe('what the headers decide is answered before the body is read', () => {
  const gzip = { [header]: right, 'Content-Encoding': 'gzip' };
  test.each<[string, number, ReceivedHeaders]>([
    ['missing_signature', 401, {}],
    ['malformed_signature', 401, { [header]: 'not hex' }],
    ['ambiguous_signature', 401, { [header]: [right, right] }],
    ['encoded', 415, gzip],
    ['encoded', 415, new Headers(gzip)],
    ['encoded', 415, { [header]: right, 'content-encoding': ['identity', 'br'] }],
    ['too_large', 413, { [header]: right, 'content-length': '1048577' }],
    ['too_large', 413, new Headers({ [header]: right, 'Content-Length': '9'.repeat(400) })],
  ])('%s: %i', async (reason, expected, headers) => {
    const { log, status } = receiverOf();
    const readBody = vi.fn();
    expect(await status(message, { headers, readBody })).toBe(expected);
    expect(readBody).not.toHaveBeenCalled();
    expect(log).toEqual([['refused', expect.objectContaining({ reason }), 'the request']]);
  });

  test.each(['identity', ' Identity ', ''])('but a content-encoding of "%s" is none', async (encoding) => {
    const headers = { [header]: right, 'content-encoding': encoding, 'content-length': '1048576' };
    expect(await receiverOf().status(message, { headers })).toBe(204);
  });
});

describe('a receiver of one workspace', () => {
  test('takes its deliveries and refuses those of another', async () => {
    const { log, receiver, status } = receiverOf({ workspaceId: message.workspaceId });
    const handler = vi.fn();
    receiver.on('message.received', handler);
    expect(await status(message)).toBe(204);
    expect(await status({ ...message, workspaceId: 'workspace_2' })).toBe(400);
    expect(await status({ ...message, workspaceId: undefined })).toBe(400);
    expect(handler).toHaveBeenCalledOnce();
    expect(log).toMatchObject([
      ['refused', { reason: 'wrong_workspace' }, 'the request'],
      ['refused', { reason: 'wrong_workspace' }, 'the request'],
    ]);
    expect(String(log[0]?.[1])).not.toContain('workspace_');
  });
});

describe('the secret that signed a delivery', () => {
  test.each<[string, WebhookReceiverOptions<string>['secret'], number]>([
    ['the only one', secret, 0],
    ['the second', ['whsec_new', secret, 'whsec_older'], 1],
    ['the first of two that are the same', ['whsec_new', secret, secret], 1],
    ['one that depends on the request', async () => ['whsec_new', secret], 1],
    ['one in bytes', ['whsec_new', new TextEncoder().encode(secret)], 1],
  ])('is told by its place: %s', async (_, given, index) => {
    const { receiver, status } = receiverOf({ secret: given });
    const handler = vi.fn();
    receiver.on('message.received', handler);
    expect(await status(message)).toBe(204);
    const context: WebhookContext = handler.mock.calls[0]?.[1];
    expect(context.secretIndex).toBe(index);
    expect(JSON.stringify(context)).not.toContain(secret);
  });
});

describe('a delivery that is signed rightly, but of no use', () => {
  test.each<[string, unknown, Partial<WebhookReceiverOptions<string>>]>([
    ['invalid_encoding', Uint8Array.of(0x22, 0xff, 0x22), {}],
    ['invalid_json', 'hello', {}],
    ['invalid_json', '', {}],
    ['unexpected_shape', { ...message, timestamp: 'yesterday' }, {}],
    ['unexpected_shape', { ...message, data: {} }, { validation: 'strict' }],
    ['too_old', { ...message, timestamp: new Date(Date.parse(timestamp) - 24 * hour - 1).toISOString() }, {}],
    ['too_new', { ...message, timestamp: new Date(Date.parse(timestamp) + hour).toISOString() }, {}],
  ])('is answered 400: %s', async (reason, body, options) => {
    const { receiver, log } = receiverOf(options);
    expect(await receiver.receive(requestOf(body))).toEqual({ status: 400, headers: {}, body: '' });
    expect(log).toEqual([['refused', expect.objectContaining({ reason }), 'the request']]);
  });

  test('is taken all the same where it only drifted, and told to onDrift', async () => {
    const onDrift = vi.fn();
    const { receiver, status } = receiverOf({ onDrift, tolerance: false });
    const handler = vi.fn();
    receiver.on('message.received', handler);
    expect(await status({ ...message, data: {} })).toBe(204);
    expect(onDrift).toHaveBeenCalledOnce();
    expect(handler).toHaveBeenCalledOnce();
  });
});

describe('a body that cannot be had', () => {
  test.each<[UnreadableBodyReason, number, string]>([
    ['too_large', 413, 'refused'],
    ['encoded', 415, 'refused'],
    ['aborted', 400, 'refused'],
    ['parsed', 500, 'error'],
    ['consumed', 500, 'error'],
  ])('is answered, %s: %i', async (reason, status, hook) => {
    const { receiver, log } = receiverOf();
    const error = new UnreadableBodyError(reason, 'the framework and its fix');
    const answer = await receiver.receive(requestOf(message, { readBody: () => Promise.reject(error) }));
    expect(answer).toEqual({ status, headers: {}, body: '' });
    expect(log[0]?.slice(0, 2)).toEqual([hook, error]);
    expect(log).toHaveLength(1);
  });

  test('for a reason of its own is answered 500', async () => {
    const { log, status } = receiverOf();
    const readBody = () => {
      throw new Error('at once');
    };
    expect(await status(message, { readBody })).toBe(500);
    const failure = { request: 'the request', event: undefined, willBeRetried: true };
    expect(log).toEqual([['error', new Error('at once'), failure]]);
  });

  test('is a mebibyte at the most, unless set, and counted even if the adapter did not', async () => {
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
});

describe('a secret', () => {
  test('may depend on the request, now or later', async () => {
    const asked: string[] = [];
    const remember = (request: string) => {
      asked.push(request);
      return secret;
    };
    expect(await receiverOf({ secret: remember }).status(message)).toBe(204);
    expect(await receiverOf({ secret: async (request) => [remember(request)] }).status(message)).toBe(204);
    expect(asked).toEqual(['the request', 'the request']);
  });

  test.each([undefined, null, []])('that is %j for a request refuses it', async (none) => {
    const { log, status } = receiverOf({ secret: () => none });
    expect(await status(message)).toBe(401);
    expect(log[0]?.[1]).toMatchObject({ message: expect.stringContaining('secret is not known') });
  });

  test('is not asked for when the signature has not the right form', async () => {
    const ask = vi.fn(() => secret);
    expect(await receiverOf({ secret: ask }).status(message, { headers: { [header]: 'x' } })).toBe(401);
    expect(ask).not.toHaveBeenCalled();
  });

  test.each<[string, WebhookReceiverOptions<string>['secret']]>([
    ['is empty', ''],
    ['is an empty list', []],
    ['is empty for the request', () => ''],
    ['is a prefix for the request', () => 'whsec_'],
    ['is not there', undefined as unknown as string],
    ['cannot be had', () => Promise.reject(new TypeError('the vault is shut'))],
  ])('that %s is answered 500 and reported', async (_, broken) => {
    const { log, status } = receiverOf({ secret: broken });
    expect(await status(message)).toBe(500);
    expect(log).toEqual([['error', expect.any(TypeError), expect.objectContaining({ willBeRetried: true })]]);
  });
});

test('hooks that throw or reject change no answer', async () => {
  const broken = () => {
    throw new Error('hook');
  };
  const rejecting = () => Promise.reject(new Error('hook'));
  for (const hook of [broken, rejecting]) {
    const { receiver, status } = receiverOf({ onRefused: hook, onError: hook });
    receiver.on('message.received', broken);
    expect(await status(messageOf('1'))).toBe(500);
    expect(await status('hello')).toBe(400);
  }
});
