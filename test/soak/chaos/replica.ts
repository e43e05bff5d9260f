import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const built = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const preload = new URL('./replica-preload.js', import.meta.url).href;

/** How long a replica may take to respond for the first time, and to end when it was told to. In milliseconds. */
const timeToStart = 180_000;
const timeToEnd = 30_000;

export interface ReplicaSettings {
  /** Counted from 0. */
  readonly number: number;
  /** The command line that it runs until its upgrade. Default: the one of `dist/`. */
  readonly program?: string | undefined;
  readonly port: number;
  readonly apiKey: string;
  /** The URL of the database, or of a pooler before it. */
  readonly storeUrl: string;
  /** How far the clock of its machine is ahead, in milliseconds. */
  readonly clockAhead: number;
  /** What it prints is added to this file. */
  readonly logFile: string;
  /** Called if it ends by itself. */
  readonly onUnexpectedEnd: (problem: string) => void;
}

/** One process of the service, `serve` as it is built. It always starts on the same port. */
export class Replica {
  readonly settings: ReplicaSettings;
  readonly origin: string;
  #program: string;
  #child: ChildProcess | undefined;

  constructor(settings: ReplicaSettings) {
    this.settings = settings;
    this.#program = settings.program ?? built;
    this.origin = `http://127.0.0.1:${settings.port}`;
  }

  /** Starts the process, and waits until it responds. If it ends before that, without its database, it is started again. */
  async start(): Promise<void> {
    const endsAt = performance.now() + timeToStart;
    while (performance.now() < endsAt) {
      if (await this.#launch(endsAt)) return;
      await wait(500);
    }
    const { number, logFile } = this.settings;
    throw new Error(`replica ${number + 1} does not come to respond; see ${logFile}`);
  }

  /** Whether it responds before it ends. */
  async #launch(endsAt: number): Promise<boolean> {
    const { apiKey, storeUrl, clockAhead, logFile, number, port, onUnexpectedEnd } = this.settings;
    const log = openSync(logFile, 'a');
    const store = `${storeUrl}?application_name=${applicationName(number)}`;
    // All have one name, as the replicas of one Compose file do.
    const words = ['serve', '--port', String(port), '--json', '--store', store, '--replica', 'soak'];
    const unlike = { SOAK_REPLICA: String(number), SOAK_CLOCK_AHEAD: String(clockAhead) };
    const child = spawn(process.execPath, ['--import', preload, this.#program, ...words], {
      stdio: ['ignore', log, log],
      env: { ...process.env, MESSAGING_AUTOMATION_API_KEY: apiKey, ...unlike },
    });
    closeSync(log);
    this.#child = child;
    let responded = false;
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (responded)
        onUnexpectedEnd(`replica ${number + 1} ended by itself, with ${code ?? signal}; see ${logFile}`);
    });
    while (!responded && performance.now() < endsAt && this.#child === child) {
      responded = await fetch(`${this.origin}/health`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (!responded) await wait(50);
    }
    return responded;
  }

  /** Lets its next start run the command line of `dist/`. */
  upgrade(): void {
    this.#program = built;
  }

  /** Ends it: at once with SIGKILL; with SIGTERM it hands back what it holds before. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), timeToEnd);
    await ended;
    clearTimeout(late);
    if (signal === 'SIGTERM' && child.signalCode === 'SIGKILL') {
      throw new Error(
        `replica ${this.settings.number + 1} did not end within ${timeToEnd / 1_000} s of SIGTERM`,
      );
    }
  }

  /** Sends a signal that does not end it gracefully, if it runs. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child?.kill(signal);
  }
}

/** What PostgreSQL calls the sessions of a replica. */
export function applicationName(number: number): string {
  return `soak-replica-${number + 1}`;
}
