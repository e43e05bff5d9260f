import { bytesOfView, toBytes } from '../crypto/bytes.js';
import { aborted, consumed, parsed, tooLarge } from '../receiver/body-faults.js';
import type { UnreadableBodyError } from '../receiver/errors.js';
import type { NodeBodyStream } from './node-exchange.js';
import { type Hold, ReceivedBytes } from './received-bytes.js';

/** The body that a framework has read. Called late, because a getter can make the framework parse the body. */
export interface KeptBody {
  /** Returns the body as received, if the platform keeps it. The adapter prefers these bytes. */
  raw(): unknown;
  /** Returns the parsed body. A parser for raw bodies keeps the bytes. */
  parsed(): unknown;
}

/** How to fix a body that the adapter cannot use, with the framework's own names. */
export interface BodyFixes {
  /** For a body that was parsed or read before. */
  readonly forConsumed: string;
  /** For a body that was decoded into text: the option that keeps its bytes. */
  readonly forDecoded: string;
}

/**
 * The body of a Node request: the bytes that the platform or the framework kept, the bytes of the stream, or decoded text. Text is
 * encoded as UTF-8. The receiver verifies and parses these same bytes, so a valid signature proves that they were sent.
 */
export class NodeBody {
  readonly #stream: NodeBodyStream;
  readonly #kept: KeptBody;
  readonly #fixes: BodyFixes;
  #cameAsText = false;
  #stopReading: (() => void) | undefined;

  constructor(stream: NodeBodyStream, kept: KeptBody, fixes: BodyFixes) {
    this.#stream = stream;
    this.#kept = kept;
    this.#fixes = fixes;
  }

  /** @throws UnreadableBodyError if the body is too large, was read before, or did not arrive. */
  async read(limit: number, hold: Hold): Promise<Uint8Array> {
    let raw = this.#kept.raw();
    if (ArrayBuffer.isView(raw)) return within(limit, raw);
    if (isUntouched(this.#stream)) return this.#collect(limit, hold);
    if (isBeingRead(this.#stream)) {
      await this.#end();
      raw = this.#kept.raw();
      if (ArrayBuffer.isView(raw)) return within(limit, raw);
    }
    const kept = this.#kept.parsed();
    if (ArrayBuffer.isView(kept)) return within(limit, kept);
    const text = [raw, kept].find((body) => typeof body === 'string');
    if (text === undefined) throw faultOf(this.#stream, kept ?? raw, this.#fixes.forConsumed);
    this.#cameAsText = true;
    return encoded(text, limit);
  }

  /** Returns what to do about a signature that does not match, if decoding may be the reason. */
  adviceOnDecoded(): string | undefined {
    if (!this.#cameAsText) return undefined;
    return `The body came as text, and decoding may have changed its bytes. ${this.#fixes.forDecoded}`;
  }

  /** Stops reading after the response was sent, and releases the bytes that have arrived. */
  letGo(): void {
    this.#stopReading?.();
  }

  /** Waits until another reader, such as `fastify-raw-body`, has read the stream, or its connection has closed. */
  #end(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopReading = resolve;
      this.#stream.on('end', resolve);
      this.#stream.on('close', resolve);
    });
  }

  /** Counts the bytes as they arrive, and stops when they exceed the limit. Settles even if the connection breaks. */
  #collect(limit: number, hold: Hold): Promise<Uint8Array> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const received = new ReceivedBytes(limit, hold);
      const add = (chunk: Uint8Array) => {
        try {
          received.add(chunk);
        } catch (error) {
          stop();
          reject(error);
        }
      };
      const finish = () => {
        leave();
        resolve(received.whole());
      };
      // Create the error only when needed, because that takes time.
      const breakOff = () => {
        stop();
        reject(aborted());
      };
      // Remove all listeners, because the stream would otherwise keep the bytes in memory.
      const leave = () => {
        this.#stopReading = undefined;
        stream.removeListener('data', add);
        stream.removeListener('end', finish);
        stream.removeListener('close', breakOff);
        // An `error` event without a listener ends the process.
        stream.on('error', ignore);
        stream.removeListener('error', breakOff);
      };
      const stop = () => {
        leave();
        stream.pause();
      };
      this.#stopReading = breakOff;
      stream.on('data', add);
      stream.on('end', finish);
      stream.on('close', breakOff);
      stream.on('error', breakOff);
      // A listener does not resume a stream that a middleware has paused.
      stream.resume?.();
    });
  }
}

function ignore(): void {}

function within(limit: number, view: ArrayBufferView): Uint8Array {
  if (view.byteLength > limit) throw tooLarge(limit);
  return bytesOfView(view);
}

function encoded(text: string, limit: number): Uint8Array {
  // Check the size before encoding. A character never has fewer bytes than code units.
  if (text.length > limit) throw tooLarge(limit);
  return within(limit, toBytes(text));
}

function isUntouched(stream: NodeBodyStream): boolean {
  return stream.readable && !stream.readableDidRead && (stream.readableEncoding ?? null) === null;
}

function isBeingRead({ readableFlowing, readableEnded, destroyed }: NodeBodyStream): boolean {
  return readableFlowing === true && !readableEnded && !destroyed;
}

function faultOf(stream: NodeBodyStream, left: unknown, fix: string): UnreadableBodyError {
  if (left !== undefined && left !== null) return parsed(fix);
  return stream.destroyed && !stream.readableEnded ? aborted() : consumed(fix);
}
