import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../waiting.js';
import { nextCommand, withoutSettings } from './application.js';

/** A service that accepts everything, and the application in a process of its own, as `next start` serves it. */
export interface ServedShop {
  readonly url: string;
  /** The requests that the service got: the method, the path, and the key. */
  readonly requests: readonly string[];
  /** What the process printed. */
  readonly printed: () => string;
  readonly hasEnded: () => boolean;
  close(): Promise<void>;
}

/** @param env What the process has of the environment besides the address of the service. */
export async function serveShop(folder: string, env: Readonly<Record<string, string>>): Promise<ServedShop> {
  const requests: string[] = [];
  const service = createServer((request, response) => {
    const { method, url, headers } = request;
    request.resume();
    requests.push(`${method} ${url} ${headers.authorization}`);
    const body = method === 'GET' ? [] : { success: true, accepted: true };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api`;
  const child = spawn(process.execPath, [nextCommand, 'start', '-p', '0', '-H', '127.0.0.1'], {
    cwd: folder,
    env: { ...withoutSettings(), MESSAGING_AUTOMATION_BASE_URL: baseUrl, ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const addressOf = () => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
  await until(
    'the address of the application',
    () => addressOf() !== undefined,
    () => printed,
  );
  return {
    url: addressOf() ?? '',
    requests,
    printed: () => printed,
    hasEnded: () => child.exitCode !== null,
    async close() {
      await end(child);
      service.closeAllConnections();
      service.close();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
