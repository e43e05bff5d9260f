import { tooLarge, UnreadableBodyError } from '../receiver/errors.js';

/** Counts further bytes before they are kept. Throws if the receiver holds too many. */
export type Hold = (bytes: number) => void;

/**
 * Collects the bytes of a body up to the limit. Copies the chunks, because a body in chunks of single bytes would otherwise need two
 * hundred times its size.
 */
export function collectBytes(limit: number, hold: Hold) {
  let bytes: Uint8Array = new Uint8Array();
  let length = 0;

  function grow(atLeast: number): void {
    const size = Math.min(limit, Math.max(atLeast, 2 * length));
    hold(size - bytes.byteLength);
    const larger = new Uint8Array(size);
    larger.set(bytes.subarray(0, length));
    bytes = larger;
  }

  return {
    /** @throws UnreadableBodyError if the chunk exceeds the limit or is text. The error of `hold`. */
    add(chunk: Uint8Array): void {
      if (!ArrayBuffer.isView(chunk)) {
        // Several byte sequences decode into the same text, so the signed bytes are unknown.
        throw new UnreadableBodyError('parsed', decoded);
      }
      const joined = length + chunk.byteLength;
      if (joined > limit) throw tooLarge(limit);
      if (length === 0) {
        hold(chunk.byteLength);
        bytes = chunk; // Most bodies arrive in one chunk and are not copied.
      } else {
        if (joined > bytes.byteLength) grow(joined);
        bytes.set(chunk, length);
      }
      length = joined;
    },
    /** Returns all bytes. Joins bytes and not text, because two chunks may share a character. */
    whole: (): Uint8Array => (bytes.byteLength === length ? bytes : bytes.subarray(0, length)),
  };
}

/** Whether something read a part of a body before. A whole one has as many bytes as its header says. */
export function isCutShort({ byteLength }: ArrayBufferView, contentLength: unknown): boolean {
  return byteLength < Number(contentLength ?? 0);
}

const decoded =
  "The body's stream gives text, so something decoded it before the receiver saw its bytes. Hand the stream on as it came.";
