import { tooLarge } from './body-faults.js';

/** Collects a body's bytes as they arrive, and no more of them than allowed. */
export class ReceivedBytes {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws UnreadableBodyError with the chunk that is too many. */
  add(chunk: Uint8Array): void {
    this.#length += chunk.byteLength;
    if (this.#length > this.#limit) throw tooLarge(this.#limit);
    this.#chunks.push(chunk);
  }

  /** All of them in one piece. Joined as bytes: a character may lie across two chunks. */
  whole(): Uint8Array {
    const [first] = this.#chunks;
    if (first !== undefined && first.byteLength === this.#length) return first;
    const whole = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return whole;
  }
}
