import { afterEach, expect, test, vi } from 'vitest';
import { clientOf, phone } from './support/service.js';

/**
 * Runtimes that repeat requests by themselves are told not to. That they obey is seen where they are:
 * `npm run test:runtimes`.
 */
afterEach(() => {
  vi.unstubAllGlobals();
});

const baseUrl = 'https://messaging.example/api';

function recordingFetch() {
  const inits: RequestInit[] = [];
  const fetch = async (_url: string, init: RequestInit) => {
    inits.push(init);
    return Response.json({ success: true });
  };
  return { inits, fetch };
}

test('Deno is given a body that it cannot send again', async () => {
  vi.stubGlobal('Deno', {});
  const { inits, fetch } = recordingFetch();
  await clientOf({ baseUrl }, { fetch }).transactional.send({ phone, templateId: 'order_update' });

  const body = inits[0]?.body;
  expect(body).toBeInstanceOf(Blob);
  expect(await new Response(body ?? null).json()).toEqual({ phone, templateId: 'order_update' });
});

test('Bun is given a DELETE that uses no kept connection', async () => {
  const { inits, fetch } = recordingFetch();
  const messaging = clientOf({ baseUrl }, { fetch });
  await messaging.contacts.delete('c1');
  await messaging.transactional.send({ phone, templateId: 'order_update' });

  expect(inits.map(({ keepalive }) => keepalive)).toEqual([false, undefined]);
  expect(inits[1]?.body).toBeTypeOf('string');
});
