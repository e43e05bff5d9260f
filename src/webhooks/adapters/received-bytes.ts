import { decoded, tooLarge } from '../receiver/body-faults.js';

/** Counts further bytes before they are kept. Throws if the receiver holds too many. */
export type Hold = (bytes: number) => void;

/**
 * Collects the bytes of a body up to the limit. Copies the chunks, because a body in chunks of single bytes would otherwise need two
 * hundred times its size.
 */
export class ReceivedBytes {
  readonly #limit: number;
  readonly #hold: Hold;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  constructor(limit: number, hold: Hold) {
    this.#limit = limit;
    this.#hold = hold;
  }

  /** @throws UnreadableBodyError if the chunk exceeds the limit or is text. The error of `hold`. */
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk)) throw decoded();
    const length = this.#length + chunk.byteLength;
    if (length > this.#limit) throw tooLarge(this.#limit);
    if (this.#length === 0) {
      this.#hold(chunk.byteLength);
      this.#bytes = chunk; // Most bodies arrive in one chunk and are not copied.
    } else {
      if (length > this.#bytes.byteLength) this.#grow(length);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = length;
  }

  /** Returns all bytes. Joins bytes and not text, because two chunks may share a character. */
  whole(): Uint8Array {
    return this.#bytes.byteLength === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #grow(atLeast: number): void {
    const size = Math.min(this.#limit, Math.max(atLeast, 2 * this.#length));
    this.#hold(size - this.#bytes.byteLength);
    const larger = new Uint8Array(size);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
