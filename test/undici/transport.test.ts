import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ClientOptions } from 'messaging-automation';
import { type UndiciDispatcher, undiciTransport } from 'messaging-automation/undici';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Behaviour, faults, inTurn, reply } from '../client/support/behaviours.js';
import { eagerClock } from '../client/support/clocks.js';
import { apiKey, phone } from '../client/support/samples.js';
import { clientOf, rejection, type Service, startService } from '../client/support/service.js';
import { withResolvers } from '../waiting.js';

const contact = { id: 'c1', properties: { phone, firstName: 'Zoë 🦊' } };

/** A transport that is closed when the test has finished. */
function transportOf(options?: Parameters<typeof undiciTransport>[0]) {
  const transport = undiciTransport(options);
  onTestFinished(() => transport.close());
  return transport;
}

const clientOver = (service: Pick<Service, 'baseUrl'>, options: ClientOptions = {}) =>
  clientOf(service, { transport: transportOf(), ...options });

test('a request arrives as the client means it', async () => {
  const service = await startService(reply(201, contact));
  await clientOver(service, { headers: { 'x-one': '1' } }).contacts.upsert(
    { phone },
    { headers: { 'x-two': '2' } },
  );

  expect(service.requests[0]).toMatchObject({
    method: 'POST',
    url: '/api/v1/contacts',
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'x-one': '1',
      'x-two': '2',
    },
    body: JSON.stringify({ phone }),
  });
});

describe('a response', () => {
  const inPieces =
    (bytes: Uint8Array): Behaviour =>
    (response) => {
      const middle = bytes.indexOf(0xf0) + 2; // inside a character
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(bytes.subarray(0, middle), () =>
        setImmediate(() => response.end(bytes.subarray(middle))),
      );
    };

  test('is read whole, wherever its chunks begin', async () => {
    const service = await startService(inPieces(Buffer.from(JSON.stringify(contact))));

    expect(await clientOver(service).contacts.get('c1')).toEqual(contact);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['deflate, gzip', (bytes) => gzipSync(deflateSync(bytes))],
  ])('that a gateway compresses unasked, as %s, is read', async (encoding, compress) => {
    const service = await startService((response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.end(compress(Buffer.from(JSON.stringify(contact))));
    });

    expect(await clientOver(service).contacts.get('c1')).toEqual(contact);
  });

  test('that is compressed is held to the limit after decompression, and fails where it is damaged', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000, ' '));
    const compressed =
      (bytes: Buffer): Behaviour =>
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
      };
    const service = await startService(inTurn(compressed(bomb), compressed(bomb.subarray(0, 20))));
    const messaging = clientOver(service, { maxResponseBytes: 10_000, retries: 0 });

    expect(await rejection(messaging.contacts.get('c1'))).toMatchObject({ name: 'ResponseTooLargeError' });
    expect(await rejection(messaging.contacts.get('c1'))).toMatchObject({ outcome: 'unknown' });
  });

  test('has all its headers, repeated ones together', async () => {
    const service = await startService((response) => {
      response.writeHead(200, {
        'x-request-id': 'req_1',
        'x-many': ['a', 'b'],
        'set-cookie': ['a=1', 'b=2'],
      });
      response.end('[]');
    });
    const { response, requestId } = await clientOver(service).templates.list().withResponse();

    expect(requestId).toBe('req_1');
    expect(response.headers.get('x-many')).toBe('a, b');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('that redirects is not followed', async () => {
    const service = await startService(reply(307, {}, { location: '/api/v1/elsewhere' }));

    expect(await rejection(clientOver(service).contacts.upsert({ phone }))).toMatchObject({ status: 307 });
    expect(service.requests).toHaveLength(1);
  });
});

describe('signal', () => {
  test('ends the exchange, and with it the connection', async () => {
    const closed = withResolvers();
    const service = await startService((response) => response.on('close', () => closed.resolve()));
    const controller = new AbortController();
    const failed = rejection(clientOver(service).templates.list({ signal: controller.signal }));
    await service.received(1);
    controller.abort('changed my mind');

    expect(await failed).toBe('changed my mind');
    await closed.promise;
  });

  test('lets a request that still waits for a connection never be sent', async () => {
    const service = await startService(faults.stall);
    const transport = undiciTransport({ connections: 2 });
    const messaging = clientOf(service, { transport, retries: 0 });
    const callers = [1, 2, 3].map(() => new AbortController());
    const failures = callers.map(({ signal }) => rejection(messaging.templates.list({ signal })));
    await service.received(2);
    for (const caller of callers.toReversed()) caller.abort('enough');

    expect(await Promise.all(failures)).toEqual(['enough', 'enough', 'enough']);
    await transport.close();
    expect(service.requests).toHaveLength(2);
  });

  test('keeps no listener after an exchange', async () => {
    const service = await startService(inTurn(reply(200, []), faults.reset));
    const transport = transportOf();
    const { signal } = new AbortController();
    const request = {
      method: 'GET',
      url: `${service.baseUrl}/`,
      headers: {},
      body: undefined,
      signal,
    } as const;
    await transport.exchange(request);
    await rejection(transport.exchange(request));

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a failure', () => {
  test('of a connection that fell while others waited for it is theirs alone whom it carried', async () => {
    const service = await startService(inTurn(faults.reset, reply(200, { success: true })));
    const transport = transportOf({ connections: 1 });
    const messaging = clientOf(service, { transport, clock: eagerClock() });
    const sends = [1, 2].map(() => messaging.transactional.send({ phone, templateId: 't1' }));
    const [first, second] = await Promise.allSettled(sends);

    expect(first).toMatchObject({ status: 'rejected', reason: { outcome: 'unknown', attempts: 1 } });
    expect(second).toMatchObject({ status: 'fulfilled' });
    expect(service.requests).toHaveLength(2);
  });

  test('shows no key and no phone, nor does the transport', async () => {
    const service = await startService(faults.reset);
    const transport = transportOf();
    const error = await rejection(clientOf(service, { transport, retries: 0 }).contacts.find(phone));
    const text = [error, transport]
      .map((value) => inspect(value, { depth: null, showHidden: true }))
      .join('\n');

    expect(text).toContain('ECONNRESET');
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain('2071838750');
  });
});

test('close waits for calls on their way; later ones are not sent', async () => {
  let finish = (): void => {};
  const service = await startService((response) => {
    finish = () => response.end('[]');
  });
  const transport = undiciTransport();
  const messaging = clientOf(service, { transport, retries: 0 });
  const onItsWay = messaging.templates.list();
  await service.received(1);
  const closed = transport.close();
  expect(await rejection(messaging.templates.list())).toMatchObject({
    outcome: 'not_sent',
    code: 'UND_ERR_CLOSED',
  });
  finish();

  expect(await onItsWay).toEqual([]);
  await closed;
  await transport[Symbol.asyncDispose](); // a second time does nothing
  expect(await rejection(messaging.templates.list())).toMatchObject({ outcome: 'not_sent' });
});

test('a dispatcher that is given carries the requests, and stays open', async () => {
  const service = await startService(reply(200, []));
  await using dispatcher = Object.assign(new Agent(), { [Symbol.asyncDispose]: () => dispatcher.close() });
  const transport = undiciTransport({ dispatcher });
  await transport.close();

  expect(await clientOf(service, { transport }).templates.list()).toEqual([]);
  expect(dispatcher.closed).toBe(false);
});

test('connections together with dispatcher are refused', () => {
  const dispatcher: UndiciDispatcher = { dispatch: () => true };

  expect(() => undiciTransport({ connections: 1, dispatcher })).toThrow(
    'connections cannot be combined with dispatcher',
  );
});

test('a request whose last look refuses it does not leave, and the connection serves the next one', async () => {
  const service = await startService(reply(200, []));
  const transport = transportOf({ connections: 1 });
  const refusal = new Error('not now');
  const request = {
    method: 'GET',
    url: `${service.baseUrl}/v1/templates`,
    headers: {},
    body: undefined,
    signal: new AbortController().signal,
  } as const;
  const refused = transport.exchange({
    ...request,
    onSending() {
      throw refusal;
    },
  });
  expect(await rejection(refused)).toBe(refusal);
  expect(await transport.exchange(request)).toMatchObject({ status: 200, body: '[]' });
  expect(service.requests).toHaveLength(1);
});
