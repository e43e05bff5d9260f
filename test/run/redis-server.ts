import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Availability, findOrInstall, succeeds } from './debian.js';
import { freePort } from './free-port.js';
import type { StoppableServer } from './stoppable-server.js';

const program = 'redis-server';

/** The program, as Debian has it. */
export function findRedis(): Promise<Availability<{ readonly program: string }>> {
  return findOrInstall(program, async () =>
    (await succeeds(program, '--version')) ? { program } : undefined,
  );
}

/** A Redis of its own, on the loopback, that keeps nothing. */
export interface RedisServer extends StoppableServer {
  readonly url: string;
}

export async function startRedis(): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const options = { bind: '127.0.0.1', port: String(port), dir: directory, save: '', appendonly: 'no' };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const launch = async () => {
    const server = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    await untilReady(server);
    return server;
  };
  let server = await launch();
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const end = async (signal: NodeJS.Signals) => {
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    end,
    async start() {
      server = await launch();
    },
    async freeze() {
      server.kill('SIGSTOP');
    },
    async thaw() {
      server.kill('SIGCONT');
    },
    async stop() {
      await end('SIGTERM');
      process.off('exit', kill);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function untilReady(server: ChildProcess): Promise<void> {
  if (server.stdout === null) throw new Error('Redis was started without its output.');
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line);
    if (!line.includes('Ready to accept connections')) continue;
    // Left unread, its output would one day fill the pipe.
    server.stdout.resume();
    return;
  }
  throw new Error(`Redis did not start:\n${lines.join('\n')}`);
}
