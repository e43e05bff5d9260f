import { once } from 'node:events';
import {
  type ClientOptions,
  ConnectionError,
  RateLimitError,
  ResponseTooLargeError,
  ServerError,
  UnusableResponseError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { type Behaviour, inTurn, reply } from './behaviours.js';
import { contact, phone } from './samples.js';
import { type Call, failure, rejection, startClient } from './service.js';

const mebibyte = 1024 * 1024;
const get: Call = ({ contacts }) => contacts.get('c1');

/** Responds with a body that has no end, and counts the bytes that left until the client hung up. */
function endless(status: number): { readonly behave: Behaviour; readonly hungUp: Promise<number> } {
  let hangUp = (_written: number): void => {};
  const hungUp = new Promise<number>((resolve) => {
    hangUp = resolve;
  });
  const piece = Buffer.alloc(65_536, 'x');
  const behave: Behaviour = async (response) => {
    let written = 0;
    const closed = once(response, 'close').then(() => hangUp(written));
    response.writeHead(status, { 'content-type': 'application/json' });
    while (!response.destroyed) {
      written += piece.length;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
    }
  };
  return { behave, hungUp };
}

/** A body that says more than so many bytes hold, as one field of a sound contact. */
const contactOf = (bytes: number) => JSON.stringify({ ...contact, more: 'x'.repeat(bytes) });

/** How a client over some transport deals with responses that are larger than they may be. */
export function responseLimits(over: string, transport: Pick<ClientOptions, 'transport'>): void {
  const limited = { ...transport, maxResponseBytes: 1_000 };

  describe(`a response over ${over} that is larger than maxResponseBytes`, () => {
    test('ends the exchange as it arrives, and the call, which is not made again', async () => {
      const { behave, hungUp } = endless(200);
      const options = { ...transport, maxResponseBytes: 100_000 };
      const { error, requests } = await failure(behave, ({ contacts }) => contacts.find(phone), options);

      expect(await hungUp).toBeLessThan(20 * mebibyte); // what the sockets' buffers hold
      expect(error).toBeInstanceOf(ResponseTooLargeError);
      expect(error).toBeInstanceOf(UnusableResponseError);
      expect(error).not.toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ status: 200, outcome: 'unknown', retryable: false, attempts: 1 });
      expect(String(error)).toContain('contacts.find returned 200');
      expect(String(error)).toContain('the body is longer than maxResponseBytes, 100000');
      expect(requests).toHaveLength(1);
    });

    test('is 10 MiB by default', async () => {
      const most = 10 * mebibyte - contactOf(0).length;
      const behave = inTurn(reply(200, contactOf(most)), reply(200, contactOf(most + 1)));
      const { messaging } = await startClient(behave, transport);

      expect((await messaging.contacts.get('c1')).id).toBe('c1');
      expect(await rejection(get(messaging))).toBeInstanceOf(ResponseTooLargeError);
    });

    test('changes nothing where there is nothing to read', async () => {
      const { messaging } = await startClient(reply(200, contactOf(2_000)), limited);

      expect(await messaging.contacts.delete('c1')).toBeUndefined();
    });

    test('is an error by its status, retried as such, where it is none of a success', async () => {
      const busy = reply(429, 'x'.repeat(2_000));
      const behave = inTurn(endless(500).behave, busy, reply(200, contact), busy);
      const { messaging } = await startClient(behave, limited);

      expect((await messaging.contacts.get('c1').withResponse()).attempts).toBe(3);
      expect(await rejection(messaging.contacts.get('c1', { retries: 0 }))).toBeInstanceOf(RateLimitError);
    });
  });

  test(`a deeply nested response over ${over} does no harm`, async () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const behave = inTurn(reply(200, `{"id":"c1","properties":${deep}}`), reply(500, deep));
    const { messaging } = await startClient(behave, { ...transport, onDrift: () => {}, retries: 0 });

    expect((await messaging.contacts.get('c1')).id).toBe('c1');
    expect(await rejection(get(messaging))).toBeInstanceOf(ServerError);
  });
}
