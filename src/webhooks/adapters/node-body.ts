import { bytesOfView, toBytes } from '../crypto/bytes.js';
import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';
import { aborted, refuseEncoding, tooLarge } from './body-faults.js';
import { ReceivedBytes } from './received-bytes.js';

/**
 * The part of a Node request that is needed to read its body, and to know whether somebody else has.
 */
export interface NodeBodyStream {
  /** By their names in lowercase, as Node has them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readable: boolean;
  readonly readableEnded: boolean;
  readonly readableDidRead?: boolean;
  readonly readableEncoding?: string | null;
  readonly destroyed: boolean;
  /** Listens for the body's bytes. */
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  /** Listens for the body's end, of whatever kind. */
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  /** Listens for bytes no more. */
  removeListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  /** Listens for the end no more. */
  removeListener(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  /** Stops the flow of bytes. */
  pause(): unknown;
  /** Resumes the stream. */
  resume?(): unknown;
}

/** Where a framework keeps what it read of a body. Asked for late: looking can make it parse. */
export interface KeptBody {
  /** The body as received, where the platform keeps it: its bytes are used before anything else. */
  raw(): unknown;
  /** What a parser made of it, which with a parser for raw bodies is the body itself. */
  parsed(): unknown;
}

/** What to do about a body that cannot be used, in the framework's own words. */
export interface BodyFixes {
  /** About one that was parsed or read already. */
  readonly forConsumed: string;
  /** About one that was decoded into text: the switch that keeps its bytes. */
  readonly forDecoded: string;
}

/**
 * The body of a Node request: the bytes that the platform or the framework kept, or those still to come, or the text
 * that something decoded it into. Text counts as its UTF-8 bytes: the signature says whether those are the bytes that
 * were sent, for they are what is verified and what is parsed.
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

  /** @throws UnreadableBodyError where the bytes are too many, gone, or did not arrive. */
  async read(limit: number): Promise<Uint8Array> {
    const encoding = this.#stream.headers['content-encoding'];
    refuseEncoding(typeof encoding === 'string' ? encoding : encoding?.join());
    const raw = this.#kept.raw();
    if (ArrayBuffer.isView(raw)) return within(limit, raw);
    if (isUntouched(this.#stream)) return this.#collect(limit);
    const parsed = this.#kept.parsed();
    if (ArrayBuffer.isView(parsed)) return within(limit, parsed);
    const text = [raw, parsed].find((body) => typeof body === 'string');
    if (text === undefined) throw faultOf(this.#stream, parsed ?? raw, this.#fixes.forConsumed);
    this.#cameAsText = true;
    return encoded(text, limit);
  }

  /** What to do about a signature that does not match, where decoding may be why. */
  adviceOnDecoded(): string | undefined {
    if (!this.#cameAsText) return undefined;
    return `The body came as text, and decoding may have changed its bytes. ${this.#fixes.forDecoded}`;
  }

  /** Stops waiting for a body whose request was answered, and lets go of what has arrived of it. */
  letGo(): void {
    this.#stopReading?.();
  }

  /** Counts the bytes as they arrive, and stops at the first too many. Settles whatever becomes of the connection. */
  #collect(limit: number): Promise<Uint8Array> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      if (Number(stream.headers['content-length']) > limit) throw tooLarge(limit);
      const received = new ReceivedBytes(limit);
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
      // Made only when it is needed: to make an error takes time.
      const breakOff = () => {
        stop();
        reject(aborted());
      };
      // Whoever keeps the stream must not keep the bytes with it, so nothing here goes on listening.
      const leave = () => {
        this.#stopReading = undefined;
        stream.removeListener('data', add);
        stream.removeListener('end', finish);
        stream.removeListener('close', breakOff);
        // An error of a stream that nobody listens to ends the process.
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
      // A stream that a middleware has paused does not flow by being listened to.
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
  // Judged before it is encoded: no character takes fewer bytes than it has code units.
  if (text.length > limit) throw tooLarge(limit);
  return within(limit, toBytes(text));
}

function isUntouched(stream: NodeBodyStream): boolean {
  return stream.readable && !stream.readableDidRead && (stream.readableEncoding ?? null) === null;
}

function faultOf(stream: NodeBodyStream, left: unknown, fix: string): UnreadableBodyError {
  if (left !== undefined && left !== null) {
    return new UnreadableBodyError('parsed', `The body was parsed before the receiver saw its bytes. ${fix}`);
  }
  if (stream.destroyed && !stream.readableEnded) return aborted();
  return new UnreadableBodyError('consumed', `The body was read before the receiver saw it. ${fix}`);
}
