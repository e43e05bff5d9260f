import { Server } from 'node:net';
import { createReferenceServer } from 'messaging-automation/server';
import { vi } from 'vitest';
import { folderWith } from '../folder.js';

const apiKey = 'documentation-key';

/**
 * Runs a file as an ES module, as a reader would who pasted it: with the two environment variables pointing at a
 * service of its own, which has one approved template, `PORT` set to any free port, and a temporary folder of its own.
 * Quiet; what it leaves open is closed after it, and what it writes is removed.
 */
export async function runExample(path: string): Promise<void> {
  await using service = createReferenceServer({
    apiKey,
    templates: [
      { id: 'order_update', status: 'approved', body: 'Hello {{1}}, your order {{2}} is on its way.' },
    ],
  });
  const { baseUrl } = await service.listen({ port: 0 });
  vi.stubEnv('TMPDIR', folderWith({}));
  vi.stubEnv('PORT', '0');
  vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', apiKey);
  vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', baseUrl);
  for (const method of ['log', 'info', 'warn', 'error', 'table'] as const) {
    vi.spyOn(console, method).mockImplementation(() => undefined);
  }
  const fetchBefore = globalThis.fetch;
  const listening = recordServers();
  try {
    await import(/* @vite-ignore */ path);
  } finally {
    for (const server of listening) server.close();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
  if (globalThis.fetch !== fetchBefore)
    throw new Error('It leaves the global fetch replaced; close what it set up.');
}

/** Every server that begins to listen from now on, until the mocks are restored. */
function recordServers(): ReadonlySet<Server> {
  const servers = new Set<Server>();
  const listen = Server.prototype.listen;
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    servers.add(this);
    return Reflect.apply(listen, this, args);
  });
  return servers;
}
