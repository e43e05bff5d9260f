import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import type { Arrival } from '../accounting/evidence.js';

/** A receiver in a process of its own. Started anew, it is where it was before. */
class Receiver {
  readonly #source: string;
  readonly #file: string;
  readonly #seed: string;
  readonly #acknowledges: number;
  #child: ChildProcess | undefined;
  #port = 0;
  /** How much of what it wrote down was read. */
  #read = 0;
  /** One thing after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(source: string, file: string, seed: string, acknowledges: number) {
    this.#source = source;
    this.#file = file;
    this.#seed = seed;
    this.#acknowledges = acknowledges;
    writeFileSync(file, '');
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  start(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#child !== undefined) return;
      const given = [this.#port, this.#file, this.#seed, this.#acknowledges].map(String);
      const child = spawn(process.execPath, ['--input-type=module', '-e', this.#source, '--', ...given], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      this.#child = child;
      const [message] = await once(child, 'message');
      this.#port = Number(Reflect.get(Object(message), 'port'));
    });
  }

  /** Says whether there was one to kill. */
  async kill(): Promise<boolean> {
    let killed = false;
    await this.#inTurn(async () => {
      const child = this.#child;
      if (child === undefined) return;
      this.#child = undefined;
      const exited = once(child, 'exit');
      killed = child.kill('SIGKILL');
      await exited;
    });
    return killed;
  }

  /** What it has written down since it was last asked. */
  arrivals(): readonly Arrival[] {
    const file = openSync(this.#file, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(size - this.#read);
      readSync(file, bytes, 0, bytes.length, this.#read);
      // A line is written in one go, so that a killed process leaves none in part.
      this.#read = size;
      return bytes.toString().split('\n').filter(Boolean).map(toArrival);
    } finally {
      closeSync(file);
    }
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}

/** The receivers of a soak. */
export class Receivers {
  readonly #folder = mkdtempSync(join(tmpdir(), 'messaging-automation-soak-'));
  readonly #all: readonly Receiver[];
  kills = 0;

  /** @param manners - How many requests each acknowledges, from 0 to 1. */
  constructor(seed: number, manners: readonly number[]) {
    const path = fileURLToPath(new URL('./receiver.ts', import.meta.url));
    // A process that runs plain JavaScript is up in a fraction of the time.
    const source = transformSync(readFileSync(path, 'utf8'), { loader: 'ts', format: 'esm' }).code;
    this.#all = manners.map(
      (acknowledges, index) =>
        new Receiver(source, join(this.#folder, `${index}.jsonl`), `${seed} ${index}`, acknowledges),
    );
  }

  /** Starts those that do not run. */
  async start(): Promise<void> {
    await Promise.all(this.#all.map((receiver) => receiver.start()));
  }

  urlOf(index: number): string {
    const receiver = this.#all[index];
    if (receiver === undefined) throw new RangeError(`There is no receiver ${index}.`);
    return receiver.url;
  }

  async kill(index: number): Promise<void> {
    if (await this.#all[index]?.kill()) this.kills += 1;
  }

  async restart(index: number): Promise<void> {
    await this.#all[index]?.start();
  }

  arrivals(): readonly Arrival[] {
    return this.#all.flatMap((receiver) => receiver.arrivals());
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((receiver) => receiver.kill()));
    rmSync(this.#folder, { recursive: true });
  }
}

function toArrival(line: string): Arrival {
  const value: unknown = JSON.parse(line);
  const field = (name: string) => Reflect.get(Object(value), name);
  return {
    path: String(field('path')),
    signature: String(field('signature')),
    digest: String(field('digest')),
    acknowledged: field('acknowledged') === true,
  };
}
