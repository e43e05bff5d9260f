import { decoded, tooLarge } from './body-faults.js';

/**
 * Collects a body's bytes as they arrive, and no more of them than allowed. Chunks are not kept: a sender who cuts a body
 * into single bytes would otherwise take two hundred times its size.
 */
export class ReceivedBytes {
  readonly #limit: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws UnreadableBodyError with the chunk that is too many, or is text. */
  add(chunk: Uint8Array): void {
    if (!ArrayBuffer.isView(chunk)) throw decoded();
    const length = this.#length + chunk.byteLength;
    if (length > this.#limit) throw tooLarge(this.#limit);
    if (this.#length === 0) {
      this.#bytes = chunk; // Most bodies come whole, and are not copied.
    } else {
      if (length > this.#bytes.byteLength) this.#grow(length);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = length;
  }

  /** All of them in one piece. Joined as bytes: a character may lie across two chunks. */
  whole(): Uint8Array {
    return this.#bytes.byteLength === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #grow(atLeast: number): void {
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(atLeast, 2 * this.#length)));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
