import { decoded, tooLarge } from './body-faults.js';

/**
 * Collects the bytes of a body up to the limit. Copies the chunks, because a body in chunks of single bytes would otherwise need two
 * hundred times its size.
 */
export class ReceivedBytes {
  readonly #limit: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws UnreadableBodyError if the chunk exceeds the limit or is text. */
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk)) throw decoded();
    const length = this.#length + chunk.byteLength;
    if (length > this.#limit) throw tooLarge(this.#limit);
    if (this.#length === 0) {
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
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(atLeast, 2 * this.#length)));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
