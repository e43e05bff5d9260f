import type { WorkspaceSeed } from 'messaging-automation/server';
import { expect } from 'vitest';
import { serve, temporaryFile } from '../../cli/served.js';
import { startListener } from '../../server/support/listener.js';

export const key = 'test_key';
export const phone = '+15551234567';

/** What most tests begin with. */
export const usualSeed: WorkspaceSeed = {
  workspaceId: 'acme',
  quota: 100,
  templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
  contacts: [{ phone, properties: { firstName: 'Ada' } }],
};

/** A running `serve`, and calls of a test to it. */
export type ServedWorkbench = Awaited<ReturnType<typeof serveWorkbench>>;

/** Runs `serve` from a seed until the test is over. */
export async function serveWorkbench(seed: WorkspaceSeed = usualSeed, ...words: readonly string[]) {
  const file = await temporaryFile('seed.json', JSON.stringify(seed));
  const served = await serve('--seed', file, ...words);
  const send = (method: string, path: string, body?: object) => served.ask(path, body, { method });
  /** Asks with the key, and returns the JSON of the response. Fails for a refusal. */
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await send(method, path, body);
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text === '' ? 'null' : text);
  };
  return {
    url: served.url,
    /** The URL of the ready message, which opens the page once. */
    page: String(served.ready.page),
    /** Another URL that opens the page once, at this server or at a proxy before it. */
    link: async (url = served.url): Promise<string> =>
      `${url}/#code=${Object(await ask('POST', '/workbench/codes')).code}`,
    ask,
    status: async (method: string, path: string, body?: object): Promise<number> => {
      const response = await send(method, path, body);
      await response.body?.cancel();
      return response.status;
    },
    /** A contact writes. */
    receive: async (body: string, from = phone): Promise<void> => {
      await ask('POST', '/control/inbound-messages', { phone: from, body });
    },
    /** The items of a list. */
    list: async (path: string): Promise<readonly Record<string, unknown>[]> =>
      Object(await ask('GET', path)).data,
    subscribe: async (endpoint: string) => {
      const events = ['message.received', 'contact.opted_in', 'contact.opted_out'];
      const created = Object(await ask('POST', '/api/v1/webhooks', { url: endpoint, events }));
      return { id: String(created.id), secret: String(created.secret) };
    },
  };
}

/** Starts a receiver that acknowledges everything. */
export function acknowledge(): Promise<string> {
  return startListener((_, response) => response.writeHead(204).end());
}
