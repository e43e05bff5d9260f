import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './debian.js';
import { freePort } from './free-port.js';
import { type StoppableServer, startStoppable, untilReady } from './stoppable-server.js';

const program = 'redis-server';

/** The program, as Debian has it. */
export const findRedis = () => findProgram(program, program);

/** A Redis of its own, on the loopback. */
export interface RedisServer extends StoppableServer {
  readonly url: string;
}

/**
 * @param keeps - Whether it writes each change to its disk, and has it again after its end.
 * @param settings - Further settings of the server.
 */
export async function startRedis(
  keeps = false,
  settings: Readonly<Record<string, string>> = {},
): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const files = { dir: directory, save: '', appendonly: keeps ? 'yes' : 'no', appendfsync: 'always' };
  const options = { bind: '127.0.0.1', port: String(port), ...files, ...settings };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const launch = async () => {
    const server = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    await untilReady('Redis', server.stdout, 'Ready to accept connections');
    return server;
  };
  const server = await startStoppable({ launch, stopSignal: 'SIGTERM', folder: directory });
  return { ...server, url: `redis://127.0.0.1:${port}` };
}
