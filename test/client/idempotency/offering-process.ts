import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { until, within, withResolvers } from '../../waiting.js';
import { Moments } from './moments.js';
import type { Line, Setting } from './offering-program.js';

/** A process that offers thousands of keys takes minutes on a busy machine. In milliseconds. */
const longestProcess = 400_000;

/** A process that offers keys, as its parent sees it. */
export class OfferingProcess {
  /** Resolves when it has ended and all that it said is read. */
  readonly end: Promise<void>;
  /** The names of its leases. */
  readonly leases = new Set<string>();
  /** When its calls begin. */
  readonly calls = new Moments();
  readonly #child: ChildProcess;
  readonly #isOpen = withResolvers();
  #stops = withResolvers();
  #standsStill = false;

  /** @param onLine - Gets what the process prints. */
  constructor(program: string, setting: Setting, onLine: (line: Line, what: string) => void) {
    const child = spawn(process.execPath, [program, JSON.stringify(setting)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    onTestFinished(() => this.kill());
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (text) => {
      const [line = '', what = ''] = text.split(/ (.*)/);
      if (isLine(line)) this.#hear(line, what, onLine);
    });
    const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => {});
    this.end = within('the end of a process', ended, () => setting, longestProcess);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Stops the process where it is. Returns whether it stands still: it may have ended before. */
  async stop(): Promise<boolean> {
    await Promise.race([this.#isOpen.promise, this.end]);
    this.#stops = withResolvers();
    this.#child.kill('SIGUSR2');
    return Promise.race([this.#stops.promise.then(() => true), this.end.then(() => false)]);
  }

  /** Lets the process go on. It may not stand still yet when it says that it stops: so it is asked until it goes on. */
  async goOn(): Promise<void> {
    await until('a process that goes on', () => {
      this.#child.kill('SIGCONT');
      return !this.#standsStill;
    });
  }

  #hear(line: Line, what: string, onLine: (line: Line, what: string) => void): void {
    this.#isOpen.resolve();
    if (line === 'lease') this.leases.add(what);
    if (line === 'lease') this.calls.tell();
    if (line === 'stops') this.#standsStill = true;
    if (line === 'stops') this.#stops.resolve();
    if (line === 'goes') this.#standsStill = false;
    onLine(line, what);
  }
}

const isLine = (word: string): word is Line => /^(lease|leaves|ends|hangs|stops|goes)$/.test(word);
