import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A server that a test can take away from its clients, and give back under the same address. */
export interface StoppableServer {
  /** Ends it by a signal. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again after its end. */
  start(): Promise<void>;
  /** Stops all of its processes where they are: it takes connections, and never responds. */
  freeze(): Promise<void>;
  /** Lets them go on. */
  thaw(): Promise<void>;
  /** Ends it for good and removes its files. */
  stop(): Promise<void>;
}

export interface ServerSettings {
  /** Starts the process, and resolves when it takes connections. */
  readonly launch: () => Promise<ChildProcess>;
  /** The signal that ends it in order. */
  readonly stopSignal: NodeJS.Signals;
  /** The ids of its other processes, which do not stop with their parent. */
  readonly otherProcesses?: () => Promise<readonly number[]>;
  readonly folder: string;
}

export async function startStoppable({
  launch,
  stopSignal,
  otherProcesses = async () => [],
  folder,
}: ServerSettings): Promise<StoppableServer> {
  let server = await launch();
  let frozen: readonly number[] = [];
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const sessions = () => (frozen.length > 0 ? frozen : otherProcesses().catch(() => []));
  const end = async (signal: NodeJS.Signals) => {
    // The sessions of a PostgreSQL that was killed may respond once more before they notice.
    const others = signal === 'SIGKILL' ? await sessions() : [];
    const exit = once(server, 'exit');
    server.kill(signal);
    for (const pid of others) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended by itself.
      }
    }
    await exit;
  };
  return {
    end,
    async start() {
      server = await launch();
    },
    async freeze() {
      frozen = await otherProcesses();
      server.kill('SIGSTOP');
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    async thaw() {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
      server.kill('SIGCONT');
      frozen = [];
    },
    async stop() {
      await end(stopSignal);
      process.off('exit', kill);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the output of a server has a line with this text. */
export async function untilReady(name: string, output: Readable | null, text: string): Promise<void> {
  if (output === null) throw new Error(`${name} was started without its output.`);
  const lines: string[] = [];
  for await (const line of createInterface({ input: output })) {
    lines.push(line);
    if (!line.includes(text)) continue;
    // Left unread, its output would one day fill the pipe.
    output.resume();
    return;
  }
  throw new Error(`${name} did not start:\n${lines.join('\n')}`);
}
