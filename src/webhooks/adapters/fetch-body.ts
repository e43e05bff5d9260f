import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';
import { aborted, refuseEncoding, tooLarge } from './body-faults.js';
import { ReceivedBytes } from './received-bytes.js';

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
  const received = new ReceivedBytes(limit);
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw aborted();
    });
    if (done) return received.whole();
    try {
      received.add(value);
    } catch (error) {
      // Not awaited: a sender that never lets go must not hold up the answer.
      reader.cancel().catch(() => undefined);
      throw error;
    }
  }
}
