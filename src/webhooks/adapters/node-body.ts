import { bytesOfView, toBytes } from '../crypto/bytes.js';
import type { ReceivedRequest } from '../receiver/exchange.js';
import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';
import { aborted, refuseEncoding, tooLarge } from './body-faults.js';
import { ReceivedBytes } from './received-bytes.js';

/**
 * The part of a Node request that is needed to read its body, and to know whether somebody else has.
 *
 * @example
 * ```ts
 * import type { NodeBodyStream } from 'messaging-automation/webhooks';
 *
 * const isOver = (stream: NodeBodyStream): boolean => stream.readableEnded || stream.destroyed;
 * console.log(isOver.length); // 1
 * ```
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
  removeListener(event: 'close', listener: () => void): unknown;
  /** Stops the flow of bytes. */
  pause(): unknown;
  /** Lets the bytes flow, whoever held them up. */
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

/** The parts of a received request that a Node request's body makes up. */
type ReceivedBody = Required<Pick<ReceivedRequest<unknown>, 'readBody' | 'adviceOnDecodedBody'>>;

/**
 * The body of a Node request: the bytes that the platform or the framework kept, or those still to come, or the text
 * that something decoded it into. Text counts as its UTF-8 bytes: the signature says whether those are the bytes that
 * were sent, for they are what is verified and what is parsed.
 */
export function receivedNodeBody(stream: NodeBodyStream, kept: KeptBody, fixes: BodyFixes): ReceivedBody {
  let cameAsText = false;
  return {
    readBody: async (limit) => {
      const encoding = stream.headers['content-encoding'];
      refuseEncoding(typeof encoding === 'string' ? encoding : encoding?.join());
      const raw = kept.raw();
      if (ArrayBuffer.isView(raw)) return within(limit, raw);
      if (isUntouched(stream)) return collect(stream, limit);
      const parsed = kept.parsed();
      if (ArrayBuffer.isView(parsed)) return within(limit, parsed);
      const text = [raw, parsed].find((body) => typeof body === 'string');
      if (text === undefined) throw faultOf(stream, parsed ?? raw, fixes.forConsumed);
      cameAsText = true;
      return encoded(text, limit);
    },
    adviceOnDecodedBody: () =>
      cameAsText
        ? `The body came as text, and decoding may have changed its bytes. ${fixes.forDecoded}`
        : undefined,
  };
}

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

/** Counts the bytes as they arrive, and stops at the first too many. Settles whatever becomes of the connection. */
function collect(stream: NodeBodyStream, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(stream.headers['content-length']) > limit) throw tooLarge(limit);
    const received = new ReceivedBytes(limit);
    const add = (chunk: Uint8Array) => {
      try {
        received.add(chunk);
      } catch (error) {
        stream.removeListener('data', add);
        stream.pause();
        reject(error);
      }
    };
    stream.on('data', add);
    const breakOff = () => reject(aborted());
    stream.on('error', breakOff);
    stream.on('close', breakOff);
    stream.on('end', () => {
      // Node says "close" after "end" too, and to make an error that nobody sees takes time.
      stream.removeListener('close', breakOff);
      resolve(received.whole());
    });
    // A stream that a middleware has paused does not flow by being listened to.
    stream.resume?.();
  });
}

function faultOf(stream: NodeBodyStream, left: unknown, fix: string): UnreadableBodyError {
  if (left !== undefined && left !== null) {
    return new UnreadableBodyError('parsed', `The body was parsed before the receiver saw its bytes. ${fix}`);
  }
  if (stream.destroyed && !stream.readableEnded) return aborted();
  return new UnreadableBodyError('consumed', `The body was read before the receiver saw it. ${fix}`);
}
