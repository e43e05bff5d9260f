import { parsed, tooLarge } from '../receiver/body-faults.js';
import type { LambdaEvent } from './lambda-event.js';

/**
 * Reads the bytes of a Lambda event's body. Only `isBase64Encoded` decides how to decode it. If the text decided, a sender could
 * choose which bytes are hashed.
 *
 * @throws UnreadableBodyError if the body is too large or was parsed.
 */
export function readLambdaBody(event: LambdaEvent, limit: number): Uint8Array {
  const body: unknown = event.body ?? '';
  if (typeof body !== 'string') throw parsed(fix, 'The body is not a string, so something parsed it.');
  // Check the size before decoding. Base64 needs four characters for three bytes.
  if ((event.isBase64Encoded ? Math.floor(body.length / 4) * 3 - 2 : body.length) > limit)
    throw tooLarge(limit);
  const bytes = event.isBase64Encoded ? decodeBase64(body) : new TextEncoder().encode(body);
  if (bytes.byteLength > limit) throw tooLarge(limit);
  return bytes;
}

function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw parsed(fix, 'The event says that its body is base64, but it is not.');
  }
}

const fix =
  'Hand the event on as Lambda got it: with the proxy integration (no mapping template), and ahead of middleware ' +
  'that parses or decodes bodies, such as @middy/http-json-body-parser.';
