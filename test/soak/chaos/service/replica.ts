import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../run/free-port.js';

const program = fileURLToPath(new URL('../../../../dist/cli.js', import.meta.url));
const preload = new URL('./name-the-replica.js', import.meta.url).href;

/** How long a replica may take to answer for the first time. In milliseconds. */
const timeToStart = 60_000;
/** How long a replica may take to end once it was told to. In milliseconds. */
const timeToEnd = 30_000;

export interface ReplicaSettings {
  /** Counted from 0. */
  readonly number: number;
  readonly apiKey: string;
  /** Undefined: in memory. */
  readonly storeUrl: string | undefined;
  /** What it prints is added to this file. */
  readonly logFile: string;
  /** Told where it ends and nobody had it end. */
  readonly onUnexpectedEnd: (told: string) => void;
}

/** One process of the service, `serve` as it is built. Started anew, it is where it was before. */
export class Replica {
  readonly number: number;
  readonly origin: string;
  /** How often it ended before it answered. */
  failedStarts = 0;
  hasStarted = false;
  readonly #settings: ReplicaSettings;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(settings: ReplicaSettings, port: number) {
    this.number = settings.number;
    this.origin = `http://127.0.0.1:${port}`;
    this.#settings = settings;
    this.#port = port;
  }

  static async create(settings: ReplicaSettings): Promise<Replica> {
    return new Replica(settings, await freePort());
  }

  get logFile(): string {
    return this.#settings.logFile;
  }

  get processId(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the process, and waits until it answers. Where it ends before that, without its database, it is started again. */
  async start(): Promise<void> {
    const endsAt = performance.now() + timeToStart;
    while (performance.now() < endsAt) {
      if (await this.#launch()) {
        this.hasStarted = true;
        return;
      }
      this.failedStarts += 1;
      // What never came to answer does not for want of a database.
      if (!this.hasStarted && this.failedStarts === 3) break;
      await wait(500);
    }
    throw new Error(`replica ${this.number + 1} does not come to answer; see ${this.#settings.logFile}`);
  }

  /** Whether it came to answer. */
  async #launch(): Promise<boolean> {
    const { apiKey, storeUrl, logFile, number, onUnexpectedEnd } = this.#settings;
    const log = openSync(logFile, 'a');
    const given = [
      'serve',
      '--port',
      String(this.#port),
      '--json',
      ...(storeUrl ? ['--store', `${storeUrl}?application_name=${applicationName(number)}`] : []),
    ];
    const child = spawn(process.execPath, ['--import', preload, program, ...given], {
      stdio: ['ignore', log, log],
      env: {
        ...process.env,
        MESSAGING_AUTOMATION_API_KEY: apiKey,
        SOAK_REPLICA: String(number),
      },
    });
    closeSync(log);
    this.#child = child;
    let answered = false;
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (answered)
        onUnexpectedEnd(`replica ${number + 1} ended by itself, with ${code ?? signal}; see ${logFile}`);
    });
    answered = await this.#answers(child);
    return answered;
  }

  /** SIGKILL: it is gone at once. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM: it hands back what it holds, and ends. */
  async terminate(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Has it stand still. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
  }

  continue(): void {
    this.#child?.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), timeToEnd);
    await ended;
    clearTimeout(late);
    if (signal === 'SIGTERM' && child.signalCode === 'SIGKILL') {
      throw new Error(`replica ${this.number + 1} has not ended within ${timeToEnd / 1_000} s of SIGTERM`);
    }
  }

  /** Whether it answers before it ends. */
  async #answers(child: ChildProcess): Promise<boolean> {
    const endsAt = performance.now() + timeToStart;
    while (performance.now() < endsAt && this.#child === child) {
      const answered = await fetch(`${this.origin}/health`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (answered) return true;
      await wait(50);
    }
    return false;
  }
}

/** What PostgreSQL calls the sessions of a replica. */
export function applicationName(number: number): string {
  return `soak-replica-${number + 1}`;
}
