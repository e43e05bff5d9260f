import type { WorkspaceSeed } from 'messaging-automation/server';
import { expect, onTestFinished } from 'vitest';
import { run } from '../../../src/cli/program.js';
import { FakeTerminal } from '../../cli/fake-terminal.js';
import { temporaryFile } from '../../cli/served.js';

export const key = 'test_key';
export const phone = '+15551234567';

/** What most tests begin with. */
export const usualSeed: WorkspaceSeed = {
  workspaceId: 'acme',
  quota: 100,
  templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
  contacts: [{ phone, properties: { firstName: 'Ada' } }],
};

/** A running `serve`, with the hands of a test for it. */
export interface ServedWorkbench {
  readonly url: string;
  /** The URL of the ready message, with the key in its fragment. */
  readonly page: string;
  /** Asks with the key, and gives the answer's JSON. Fails for a refusal. */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  /** Asks, and gives the status. */
  status(method: string, path: string, body?: object): Promise<number>;
  /** A contact writes. */
  receive(body: string, from?: string): Promise<void>;
  subscribe(url: string): Promise<{ readonly id: string; readonly secret: string }>;
  stop(): Promise<void>;
}

/** Runs `serve` from a seed until the test is over. */
export async function serveWorkbench(
  seed: WorkspaceSeed = usualSeed,
  ...words: readonly string[]
): Promise<ServedWorkbench> {
  const file = await temporaryFile('seed.json', JSON.stringify(seed));
  const terminal = new FakeTerminal();
  const exit = run(['serve', '--port', '0', '--json', '--api-key', key, '--seed', file, ...words], terminal);
  const stop = async () => {
    terminal.stop();
    await exit;
  };
  onTestFinished(stop);
  const { url, page } = JSON.parse(await terminal.line(/"ready"/));
  const send = (method: string, path: string, body?: object) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await send(method, path, body);
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text === '' ? 'null' : text);
  };
  return {
    url,
    page,
    ask,
    status: async (method, path, body) => {
      const response = await send(method, path, body);
      await response.body?.cancel();
      return response.status;
    },
    receive: async (body, from = phone) => {
      await ask('POST', '/control/inbound-messages', { phone: from, body });
    },
    subscribe: async (endpoint) => {
      const events = ['message.received', 'contact.opted_in', 'contact.opted_out'];
      const created = Object(await ask('POST', '/api/v1/webhooks', { url: endpoint, events }));
      return { id: String(created.id), secret: String(created.secret) };
    },
    stop,
  };
}
