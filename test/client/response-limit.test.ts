import { gzipSync } from 'node:zlib';
import { BadRequestError, ResponseTooLargeError } from 'messaging-automation';
import nodeFetch from 'node-fetch';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Behaviour } from './support/behaviours.js';
import { responseLimits } from './support/response-limits.js';
import { asFetch, unserved } from './support/samples.js';
import { clientOf, failure, listTemplates, rejection } from './support/service.js';

responseLimits('fetch', {});

/** Fifty megabytes in fifty kilobytes, and as many such responses as are asked for. */
const compressed = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '));
const gzipBomb: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  response.end(compressed);
};

describe('a small response that is decompressed to a large one', () => {
  test.each([
    ['the global fetch', undefined],
    ['the fetch of undici', asFetch(undiciFetch)],
    ['node-fetch', asFetch(nodeFetch)],
  ])('is read up to the limit by %s', async (_, fetch) => {
    const { error, requests } = await failure(gzipBomb, listTemplates, { fetch });

    expect(error).toBeInstanceOf(ResponseTooLargeError);
    expect(requests).toHaveLength(1);
  });
});

const ownTransport = (status: number, body: string) => ({
  exchange: async () => ({ status, headers: new Headers(), body }),
});

describe('a response of a transport or a fetch of the caller’s own', () => {
  const large = JSON.stringify(['x'.repeat(2_000)]);
  const withoutStream = async () => Object.defineProperty(new Response(large), 'body', { value: undefined });

  test.each([
    ['that gives no stream', { fetch: withoutStream }],
    ['that gives the body', { transport: ownTransport(200, large) }],
  ])('%s is held to the limit too', async (_, options) => {
    const messaging = clientOf(unserved, { ...options, maxResponseBytes: 1_000 });

    expect(await rejection(messaging.templates.list())).toBeInstanceOf(ResponseTooLargeError);
  });

  test('is read no further than the limit where it is an error', async () => {
    const transport = ownTransport(400, 'x'.repeat(2_000));
    const error = await rejection(
      clientOf(unserved, { transport, maxResponseBytes: 1_000 }).templates.list(),
    );

    if (!(error instanceof BadRequestError)) throw error;
    expect(error.body).toBe('x'.repeat(1_000));
  });

  test('is no success where it has no status', async () => {
    const error = await rejection(clientOf(unserved, { transport: ownTransport(0, '[]') }).templates.list());

    expect(error).toMatchObject({ name: 'ApiError', status: 0 });
  });
});
