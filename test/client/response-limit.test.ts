import { gzipSync } from 'node:zlib';
import { BadRequestError, type FetchFunction, ResponseTooLargeError } from 'messaging-automation';
import nodeFetch from 'node-fetch';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Behaviour } from './support/behaviours.js';
import { responseLimits } from './support/response-limits.js';
import { clientOf, rejection, startService } from './support/service.js';

responseLimits('fetch', {});

/** Fifty megabytes in fifty kilobytes, and as many such answers as are asked for. */
const compressed = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '));
const gzipBomb: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  response.end(compressed);
};

describe('a small answer that is decompressed to a large one', () => {
  /** A function of another package, as the client takes it. */
  const asFetch = (other: unknown): FetchFunction => {
    if (typeof other !== 'function') throw new TypeError('It is no function.');
    return (url, init) => Reflect.apply(other, undefined, [url, init]);
  };

  test.each([
    ['the global fetch', undefined],
    ['the fetch of undici', asFetch(undiciFetch)],
    ['node-fetch', asFetch(nodeFetch)],
  ])('is read up to the limit by %s', async (_, fetch) => {
    const service = await startService(gzipBomb);
    const error = await rejection(clientOf(service, { fetch }).templates.list());

    expect(error).toBeInstanceOf(ResponseTooLargeError);
    expect(service.requests).toHaveLength(1);
  });
});

test('an answer that a fetch of the caller’s own gives without a stream is held to the limit too', async () => {
  const fetch = async () => {
    const whole = new Response(JSON.stringify(['x'.repeat(2_000)]));
    return Object.defineProperty(whole, 'body', { value: undefined });
  };
  const options = { fetch, maxResponseBytes: 1_000 };

  expect(
    await rejection(clientOf({ baseUrl: 'https://a.test/api' }, options).templates.list()),
  ).toBeInstanceOf(ResponseTooLargeError);
});

describe('an answer of a transport of the caller’s own', () => {
  const rejectionOf = (status: number, body: string) => {
    const transport = { exchange: async () => ({ status, headers: new Headers(), body }) };
    const options = { transport, maxResponseBytes: 1_000 };
    return rejection(clientOf({ baseUrl: 'https://a.test/api' }, options).templates.list());
  };

  test('is held to the limit too', async () => {
    expect(await rejectionOf(200, JSON.stringify(['x'.repeat(2_000)]))).toBeInstanceOf(ResponseTooLargeError);
  });

  test('is read no further than the limit where it is an error', async () => {
    const error = await rejectionOf(400, 'x'.repeat(2_000));

    if (!(error instanceof BadRequestError)) throw error;
    expect(error.body).toBe('x'.repeat(1_000));
  });

  test('is no success where it has no status', async () => {
    expect(await rejectionOf(0, '[]')).toMatchObject({ name: 'ApiError', status: 0 });
  });
});
