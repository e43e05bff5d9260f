import { afterEach, describe, expect, test, vi } from 'vitest';
import { readBody } from '../../src/foundation/read-body.js';
import { attempt, builtinModule, createWarnings, probe } from '../../src/foundation/runtime.js';
import { stubProcess } from '../stub-process.js';
import { probedPaths } from './probed-paths.js';

const fail = (): never => {
  throw new Error('This is not supported here.');
};
const throwing = new Proxy(fail, { get: fail, has: fail, construct: fail, apply: fail });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what a runtime has as something that throws is absent', () => {
  test('a property, whatever is above it', () => {
    stubProcess({
      env: throwing,
      versions: throwing,
    });
    expect(probe('process', 'env', 'HOME')).toBeUndefined();
    expect(probe('process', 'versions', 'node')).toBeUndefined();
    expect(probe('process', 'nothing', 'below')).toBeUndefined();
    expect(attempt(fail)).toBeUndefined();
  });

  test.each([undefined, {}, { getBuiltinModule: fail }, { getBuiltinModule: throwing }])(
    'a builtin module: %#',
    (runtime) => {
      stubProcess(runtime);
      expect(builtinModule('node:crypto')).toBeUndefined();
    },
  );

  test.each([undefined, {}, { emitWarning: fail }, { emitWarning: throwing }])(
    'the warnings of a process, for which the console has them: %#',
    (runtime) => {
      const warned = vi.spyOn(console, 'warn').mockReturnValue();
      stubProcess(runtime);
      createWarnings('Name')('subject', 'message');
      expect(warned.mock.calls).toEqual([['message']]);
    },
  );

  test('both of them', () => {
    vi.spyOn(console, 'warn').mockImplementation(fail);
    stubProcess({ emitWarning: fail });
    expect(() => createWarnings('Name')('subject', 'message')).not.toThrow();
  });

  test('the decoder of a body', async () => {
    vi.stubGlobal('TextDecoder', throwing);
    expect(await readBody(new Response('body'), 10)).toEqual({ body: 'body' });
  });

  test('what the client and the receiver look for, each alone and all at once', async () => {
    vi.resetModules();
    vi.stubGlobal('MessageChannel', throwing);
    vi.stubGlobal('Deno', undefined);
    vi.spyOn(console, 'warn').mockReturnValue();
    stubProcess({ env: throwing, versions: throwing, emitWarning: fail, getBuiltinModule: fail });
    const { MessagingAutomation } = await import('messaging-automation');
    const { createWebhookReceiver, signTestDelivery, toFetchHandler } = await import(
      'messaging-automation/webhooks'
    );
    const fetch = async () => Response.json([]);
    const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'https://a.test/api', fetch });
    expect(await messaging.templates.list()).toEqual([]);

    const secret = 'whsec_example';
    const receiver = createWebhookReceiver<Request>({ secret });
    const respond = toFetchHandler(receiver);
    const delivery = signTestDelivery({ secret });
    expect((await respond(delivery.tampered().toRequest())).status).toBe(401);
    expect((await respond(delivery.toRequest())).status).toBe(204);
    expect(await receiver.drain()).toEqual([]);
    vi.unstubAllGlobals();
    vi.resetModules(); // a copy that found nothing is not for other tests
  });
});

test('the suites of other realms replace what the sources look for', () => {
  expect(probedPaths()).toEqual(
    expect.arrayContaining([
      'Deno',
      'crypto.subtle',
      'process.emitWarning',
      'process.env',
      'process.getBuiltinModule',
    ]),
  );
});
