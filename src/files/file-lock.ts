import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, link, open, rename, stat, unlink } from 'node:fs/promises';
import { type Clock, systemClock } from '../foundation/clock.js';
import { undefinedIf } from './real-path.js';

/** How often the holder touches its lock, in milliseconds. */
const touchedEvery = 2_000;

/** After this long without a touch, in milliseconds, a lock was left behind by a process that has ended. */
const leftBehindAfter = 10_000;

/** How long a lock is watched before it is taken over, in milliseconds. So a clock that is wrong takes no lock from a living holder. */
const watchedFor = 3_000;

/** The wait between two looks at a lock, in milliseconds. */
const betweenLooks = 1_000;

/**
 * Restricts a file to one user at a time, with a lock file next to it that its holder touches every two seconds.
 *
 * Only the age of a lock counts, never its process: process ids are reused, a process may be dead and not yet reaped, and
 * the id of another container says nothing here. The holder keeps its lock file open, so it can tell its own from a later
 * one with the same name.
 */
export class FileLock {
  readonly path: string;
  readonly #clock: Clock;
  #own: FileHandle | undefined;
  #cancelTouch = () => {};

  /** @param file - The real path of the file, so that all its names have one lock. */
  constructor(file: string, clock: Clock = systemClock) {
    this.path = `${file}.lock`;
    this.#clock = clock;
  }

  /** Takes the lock. Resolves to false if another process holds it, which takes up to ten seconds to tell. */
  async acquire(): Promise<boolean> {
    let first: Stats | undefined;
    for (let watched = 0; watched <= leftBehindAfter; watched += betweenLooks) {
      // While others remove a lock that was left behind, their way back may meet this one.
      if (await this.#create()) return first === undefined || this.#outlastsOthers();
      const seen = await statIfThere(this.path);
      if (seen === undefined) continue;
      first ??= seen;
      if (!isSame(first, seen) || isOfFirstRelease(seen)) return false;
      const untouched = Math.max(watched, this.#clock.now() - seen.mtimeMs);
      if (watched >= watchedFor && untouched >= leftBehindAfter) return this.#takeOver(seen);
      await this.#pause();
    }
    return false;
  }

  /** Whether this process still has the lock. A person may delete it, and another process takes it after a long standstill. */
  async isHeld(): Promise<boolean> {
    const [own, there] = await Promise.all([this.#own?.stat(), statIfThere(this.path)]);
    return own !== undefined && there !== undefined && own.ino === there.ino && own.dev === there.dev;
  }

  async release(): Promise<void> {
    this.#cancelTouch();
    if (await this.isHeld()) await unlink(this.path);
    await this.#own?.close();
    this.#own = undefined;
  }

  async #create(): Promise<boolean> {
    this.#own = await open(this.path, 'wx').catch(undefinedIf('EEXIST'));
    if (this.#own === undefined) return false;
    this.#touch();
    return true;
  }

  /** Removes a lock that was left behind, and creates a new one. Of several processes that do so, one succeeds at most. */
  async #takeOver(leftBehind: Stats): Promise<boolean> {
    const aside = `${this.path}.${randomUUID()}`;
    const renamed = await rename(this.path, aside).then(() => true, undefinedIf('ENOENT'));
    if (renamed === undefined) return false; // another process was faster
    const isLeftBehind = isSame(await stat(aside), leftBehind);
    // Or it is the new lock of a process that was faster. It goes back, unless a third one is there by now.
    if (!isLeftBehind) await link(aside, this.path).catch(() => {});
    await unlink(aside);
    return isLeftBehind && (await this.#create()) && this.#outlastsOthers();
  }

  /** Whether the new lock is still there when every process has acted on what it saw before. */
  async #outlastsOthers(): Promise<boolean> {
    await this.#pause();
    if (await this.isHeld()) return true;
    await this.release();
    return false;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimer(resolve, betweenLooks));
  }

  #touch(): void {
    const now = new Date(this.#clock.now());
    // A lock that cannot be touched looks left behind. `isHeld` notices when another process has taken it.
    this.#own?.utimes(now, now).catch(() => {});
    this.#cancelTouch = this.#clock.setTimer(() => this.#touch(), touchedEvery);
  }
}

/** Version 0.1.0 wrote its process into its lock, and never touched it. So its age does not say that it was left behind. */
function isOfFirstRelease(lock: Stats): boolean {
  return lock.size > 0;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.mtimeMs === other.mtimeMs;
}

function statIfThere(path: string): Promise<Stats | undefined> {
  return stat(path).catch(undefinedIf('ENOENT'));
}
