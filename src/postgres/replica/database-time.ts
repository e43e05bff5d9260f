import { type Clock, steadyTime } from '../../foundation/clock.js';

/** From this difference on, the clocks need a person. In milliseconds. */
const largeDifference = 1_000;

/** The time of the database, which all replicas have, by the clock of this machine and its difference. */
export class DatabaseTime implements Clock {
  readonly #machine: Clock;
  #ahead = 0;
  #toldOf = 0;

  constructor(machine: Clock) {
    this.#machine = machine;
  }

  /** How far the clock of this machine is ahead of that of the database, as last measured. In milliseconds. */
  get ahead(): number {
    return this.#ahead;
  }

  now(): number {
    return this.#machine.now() - this.#ahead;
  }

  monotonic(): number {
    return steadyTime(this.#machine);
  }

  setTimer(callback: () => void, delay: number): () => void {
    return this.#machine.setTimer(callback, delay);
  }

  /**
   * Measures the difference. Keeps the former one if that may still be right, so that the time does not waver.
   *
   * @param read - Reads the time of the database.
   * @returns An error if the difference is large, and changed much since the last one.
   */
  async compare(read: () => Promise<number>): Promise<Error | undefined> {
    const before = this.#machine.now();
    const time = await read();
    const after = this.#machine.now() + 1; // a clock shows the milliseconds that are over
    this.#ahead = Math.min(Math.max(this.#ahead, Math.ceil(before - time)), Math.floor(after - time));
    const size = Math.abs(this.#ahead);
    if (size < largeDifference) this.#toldOf = 0;
    if (size < largeDifference || Math.abs(this.#ahead - this.#toldOf) < largeDifference) return undefined;
    this.#toldOf = this.#ahead;
    const seconds = Math.round(size / 100) / 10;
    return new Error(
      `The clock of this machine is ${seconds} s ${this.#ahead > 0 ? 'ahead of' : 'behind'} that of the database. The replica uses the time of the database. Synchronize both clocks, such as with NTP.`,
    );
  }
}
