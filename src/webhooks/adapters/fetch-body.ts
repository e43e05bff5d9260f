import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';
import { aborted, refuseEncoding, tooLarge } from './body-faults.js';

/**
 * The bytes of a Fetch request's body, counted as they arrive, so that a body without a length, or with a false one,
 * takes no more memory than allowed.
 *
 * @param fix - What to do about a body that was read already, in the framework's own words.
 * @throws UnreadableBodyError where the bytes are too many, gone, or did not arrive.
 */
export async function readFetchBody(request: Request, limit: number, fix: string): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) {
    throw new UnreadableBodyError('consumed', `The body was read before the receiver saw it. ${fix}`);
  }
  refuseEncoding(request.headers.get('content-encoding'));
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge(limit);
  return request.body === null ? new Uint8Array() : collect(request.body.getReader(), limit);
}

async function collect(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw aborted();
    });
    if (done) return concatenate(chunks, length);
    length += value.byteLength;
    if (length > limit) {
      // Not awaited: a sender that never lets go must not hold up the answer.
      reader.cancel().catch(() => undefined);
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && first.byteLength === length) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
