import { expect, test } from 'vitest';
import { withResolvers } from '../../waiting.js';
import {
  bytesOf,
  message,
  messageOf,
  receiverOf,
  requestOf,
  settled,
  slowReceiver,
  soon,
} from './receive.js';

test('a receiver that is at rest is drained at once, and takes nothing more', async () => {
  const { clock, log, receiver } = receiverOf();
  expect(await receiver.drain()).toEqual([]);
  expect(clock.waiting).toBe(0);
  expect(await receiver.receive(requestOf(message))).toEqual({
    status: 503,
    headers: { 'Retry-After': '5', Connection: 'close' },
    body: '',
  });
  const text = 'The receiver accepts no more deliveries, because drain() was called.';
  expect(log).toMatchObject([['refused', { reason: 'draining', message: text }, 'the request']]);
});

test('what is under way is taken to its end: a body, a handler, and a handler after its response', async () => {
  const { clock, receiver, status, statusAfter } = receiverOf();
  const handlings = new Map([1, 2].map((id) => [`${id}`, withResolvers()]));
  receiver.on('message.received', (event) => handlings.get(event.data.messageId)?.promise);
  expect(await statusAfter(4_500, messageOf('1'))).toBe(503);

  const handled = status(messageOf('2'));
  const body = withResolvers<Uint8Array>();
  const read = status(messageOf('3'), { readBody: () => body.promise });
  const draining = Promise.all([receiver.drain(), receiver.drain()]);

  body.resolve(bytesOf(messageOf('3')));
  expect(await read).toBe(204);
  handlings.get('2')?.resolve();
  expect(await handled).toBe(204);
  await expect(soon('The end', draining)).rejects.toThrow('did not come'); // the first is still at work
  handlings.get('1')?.resolve();
  expect(await soon('The end of both calls', draining)).toEqual([[], []]);
  expect(clock.waiting).toBe(0);
});

test('the response to what is under way closes the connection, so that a retry reaches another process', async () => {
  const { handling, receiver } = slowReceiver();
  const response = receiver.receive(requestOf(message));
  await settled();
  const drained = receiver.drain();
  handling.resolve();
  expect(await soon('The response', response)).toEqual({
    status: 204,
    headers: { Connection: 'close' },
    body: '',
  });
  expect(await drained).toEqual([]);
});

test('what is left when the time is up is reported, and the default is eight seconds', async () => {
  const never = new Promise<never>(() => {});
  const { clock, receiver, status } = slowReceiver({ deadline: 60_000 });
  await status('no delivery', {
    headers: {},
    onWritten: () => {},
    request: 'who does not read the response',
  });
  status(message);
  status(messageOf('2'), { readBody: () => never, request: 'another' });
  await settled();
  const [byDefault, atOnce] = [receiver.drain(), receiver.drain({ timeout: 0 })];
  clock.pass(0);
  const left = [
    { step: 'reading', event: undefined, request: 'another' },
    { step: 'handling', event: message, request: 'the request' },
    { step: 'responding', event: undefined, request: 'who does not read the response' },
  ];
  expect((await atOnce).toSorted((a, b) => a.request.length - b.request.length)).toEqual(left);
  let isOver = false;
  byDefault.finally(() => {
    isOver = true;
  });
  await clock.passSettled(7_999);
  expect(isOver).toBe(false);
  clock.pass(1);
  expect(await byDefault).toHaveLength(3);
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '8s'])('a timeout of %s is refused', async (timeout) => {
  const { receiver, status } = receiverOf();
  const options = { timeout } as { timeout: number };
  await expect(receiver.drain(options)).rejects.toThrow(
    'drain: timeout must be a number of milliseconds, 0 or more, not',
  );
  expect(await status(message)).toBe(204); // and nothing is drained
});
