import { bytesOfView, toBytes } from '../crypto/bytes.js';
import { aborted, consumed, parsed, type UnreadableBodyError } from '../receiver/errors.js';
import type { NodeRequest } from './node-exchange.js';
import { collectBytes, type Hold, isCutShort } from './received-bytes.js';

/**
 * The body of a Node request: the bytes that the platform or the framework kept, the bytes of the stream, or decoded text. Text is
 * encoded as UTF-8. The receiver verifies and parses these same bytes, so a valid signature proves that they were sent.
 */
export class NodeBody {
  readonly #stream: NodeRequest;
  readonly #keepers: readonly object[];
  readonly #fix: string;
  #cameAsText = false;
  #stopReading = ignore;

  /**
   * @param keepers - The requests whose `rawBody` or `body` may have kept it. They are read late, because a getter can make the
   *   framework parse the body.
   * @param fix - How to fix a body that was parsed or read before, or decoded into text, with the framework's own names.
   */
  constructor(stream: NodeRequest, keepers: readonly object[], fix: string) {
    this.#stream = stream;
    this.#keepers = keepers;
    this.#fix = fix;
  }

  /** @throws UnreadableBodyError if the body is too large, was read before, or did not arrive. */
  async read(limit: number, hold: Hold): Promise<Uint8Array> {
    const early = this.#kept('rawBody').find(ArrayBuffer.isView);
    if (early !== undefined) return this.#wholeOf(early);
    if (isUntouched(this.#stream)) return this.#collect(collectBytes(limit, hold));
    if (isBeingRead(this.#stream)) await this.#endOfOther();
    const raw = this.#kept('rawBody');
    const left = raw.some(ArrayBuffer.isView) ? raw : [...raw, ...this.#kept('body')];
    const bytes = left.find(ArrayBuffer.isView);
    if (bytes !== undefined) return this.#wholeOf(bytes);
    const text = left.find((body) => typeof body === 'string');
    if (text === undefined) throw faultOf(this.#stream, left, this.#fix);
    this.#cameAsText = true;
    return toBytes(text);
  }

  /** Stops reading after the response was sent, and releases the bytes that have arrived. */
  letGo(): void {
    this.#stopReading();
  }

  /** Returns what to do about a signature that does not match, if decoding may be the reason. */
  adviceOnDecoded(): string | undefined {
    if (!this.#cameAsText) return undefined;
    return `The body came as text, and decoding may have changed its bytes. ${this.#fix}`;
  }

  #kept(field: 'rawBody' | 'body'): readonly unknown[] {
    return this.#keepers.map((keeper) => Reflect.get(keeper, field));
  }

  /** @throws UnreadableBodyError if what was kept is only a part, such as the first chunk. */
  #wholeOf(bytes: ArrayBufferView): Uint8Array {
    if (isCutShort(bytes, this.#stream.headers['content-length'])) throw consumed(this.#fix);
    return bytesOfView(bytes);
  }

  /**
   * Waits until another reader, such as `fastify-raw-body`, has read the stream, or its connection has closed. A reader that pauses
   * the stream has read a part and may never go on.
   */
  #endOfOther(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopReading = resolve;
      this.#stream.on('end', resolve);
      this.#stream.on('pause', resolve);
      this.#stream.on('close', resolve);
    });
  }

  /** Counts the bytes as they arrive, and stops when they exceed the limit. Settles even if the connection breaks. */
  #collect(received: ReturnType<typeof collectBytes>): Promise<Uint8Array> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const add = (chunk: Uint8Array) => {
        try {
          received.add(chunk);
        } catch (error) {
          finish(error);
        }
      };
      const finish = (error?: unknown) => {
        // Remove all listeners, because the stream would otherwise keep the bytes in memory.
        this.#stopReading = ignore;
        stream.removeListener('data', add);
        stream.removeListener('end', end);
        stream.removeListener('pause', goOn);
        stream.removeListener('close', breakOff);
        // An `error` event without a listener ends the process.
        stream.on('error', ignore);
        stream.removeListener('error', breakOff);
        if (error === undefined) return resolve(received.whole());
        stream.pause();
        reject(error);
      };
      const end = () => finish();
      // Create the error only when needed, because that takes time.
      const breakOff = () => finish(isBrokenOff(stream) ? consumed(this.#fix) : aborted());
      // A listener does not resume a stream that a middleware has paused, or that another reader pauses now.
      const goOn = () => stream.resume?.();
      this.#stopReading = breakOff;
      stream.on('data', add);
      stream.on('end', end);
      stream.on('pause', goOn);
      stream.on('close', breakOff);
      stream.on('error', breakOff);
      goOn();
    });
  }
}

function ignore(): void {}

function isUntouched(stream: NodeRequest): boolean {
  return stream.readable && !stream.readableDidRead && (stream.readableEncoding ?? null) === null;
}

/** Whether something reads that may keep the body. A stream that flows without a listener is lost. */
function isBeingRead(stream: NodeRequest): boolean {
  const { readableFlowing, readableEnded, destroyed } = stream;
  return readableFlowing === true && !readableEnded && !destroyed && stream.listenerCount?.('data') !== 0;
}

/** Whether something on this side has destroyed the stream, such as a loop over its chunks that ended early. */
function isBrokenOff({ errored, stream }: NodeRequest): boolean {
  const { code } = Object(errored);
  const hasSenderLeft = Reflect.get(Object(stream), 'aborted') === true || codesOfDisconnect.includes(code);
  return Boolean(errored) && !hasSenderLeft;
}

/** The error of a request whose connection broke, and the one that other streams make of it. */
const codesOfDisconnect: readonly unknown[] = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'];

function faultOf(stream: NodeRequest, left: readonly unknown[], fix: string): UnreadableBodyError {
  if (left.some((body) => body !== undefined && body !== null)) return parsed(fix);
  const isGone = stream.destroyed && !stream.readableEnded && !isBrokenOff(stream);
  return isGone ? aborted() : consumed(fix);
}
