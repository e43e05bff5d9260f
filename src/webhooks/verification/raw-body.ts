import { bytesOfView, toOwnBytes } from '../crypto/bytes.js';

/**
 * The raw body of a delivery: its bytes, or a string that was decoded from UTF-8, which is encoded as UTF-8 again. A Node `Buffer` is a
 * `Uint8Array`.
 */
export type RawBody = string | ArrayBufferView | ArrayBufferLike;

/** Returns the string or bytes to hash. Throws a TypeError that names the fix if the value is not a raw body. */
export function readRawBody(rawBody: RawBody): string | Uint8Array {
  if (typeof rawBody === 'string') {
    if (isWellFormed(rawBody)) return rawBody;
    throw new TypeError(
      `The webhook body holds half a surrogate pair, so it was not UTF-8. ${rawBodyAdvice}`,
    );
  }
  if (!ArrayBuffer.isView(rawBody) && !/ArrayBuffer/.test(tagOf(rawBody))) {
    throw new TypeError(`The webhook body is ${describe(rawBody)}. ${rawBodyAdvice}`);
  }
  const bytes = ArrayBuffer.isView(rawBody) ? bytesOfView(rawBody) : new Uint8Array(rawBody);
  // Shared memory is copied, because another thread could change it between hashing and parsing.
  return tagOf(bytes.buffer) === '[object SharedArrayBuffer]' ? toOwnBytes(bytes) : bytes;
}

/** Recognizes buffers by their tag, because a buffer of another realm (a vm, a test environment) is not an instance of this one. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}

function describe(value: unknown): string {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : `of type ${typeof value}`;
  if ('then' in value) return 'a promise';
  if ('arrayBuffer' in value || 'pipe' in value || 'getReader' in value) {
    const wasRead: unknown = Reflect.get(value, 'bodyUsed') || Reflect.get(value, 'readableEnded');
    return `a request or a stream${wasRead ? ' that was already read' : ''}, not its bytes`;
  }
  return 'a parsed object, not the bytes that were signed';
}

/** What to do about a value that is not a raw body. */
export const rawBodyAdvice =
  'Give the bytes as received, before any JSON parser. ' +
  "Express: express.raw({ type: 'application/json' }) ahead of express.json(). " +
  "Fastify: addContentTypeParser with parseAs: 'buffer'. " +
  'NestJS: rawBody: true. Next.js pages: bodyParser: false. Fetch: await request.arrayBuffer().';

const loneSurrogate = /\p{Surrogate}/u;

/**
 * Whether a string can be encoded as UTF-8. A lone surrogate cannot: an encoder replaces it with U+FFFD, so that two different strings
 * would have the same bytes and the same signature.
 */
export function isWellFormed(text: string): boolean {
  // The native method is newer than the compiler's target, and many times faster than the search.
  const native: unknown = Reflect.get(String.prototype, 'isWellFormed');
  return typeof native === 'function' ? native.call(text) : !loneSurrogate.test(text);
}
