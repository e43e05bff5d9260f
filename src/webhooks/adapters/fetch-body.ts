import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';
import { aborted, refuseEncoding, tooLarge } from './body-faults.js';
import { ReceivedBytes } from './received-bytes.js';

/**
 * The body of a Fetch request. Its bytes are counted as they arrive, so that a body without a length, or with a false
 * one, takes no more memory than allowed.
 */
export class FetchBody {
  readonly #request: Request;
  readonly #fixForConsumed: string;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isLetGo = false;

  constructor(request: Request, fixForConsumed: string) {
    this.#request = request;
    this.#fixForConsumed = fixForConsumed;
  }

  /** @throws UnreadableBodyError where the bytes are too many, gone, or did not arrive. */
  async read(limit: number): Promise<Uint8Array> {
    const request = this.#request;
    if (request.bodyUsed || request.body?.locked) {
      throw new UnreadableBodyError(
        'consumed',
        `The body was read before the receiver saw it. ${this.#fixForConsumed}`,
      );
    }
    refuseEncoding(request.headers.get('content-encoding'));
    if (Number(request.headers.get('content-length')) > limit) throw tooLarge(limit);
    if (request.body === null) return new Uint8Array();
    this.#reader = request.body.getReader();
    return this.#collect(this.#reader, limit);
  }

  /** Stops waiting for a body whose request was answered, and lets go of what has arrived of it. */
  letGo(): void {
    this.#isLetGo = true;
    // Not awaited: a sender that never lets go must not hold up the answer.
    this.#reader?.cancel().catch(() => undefined);
  }

  async #collect(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Uint8Array> {
    const received = new ReceivedBytes(limit);
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw aborted();
      });
      // A reader that was cancelled says that it is done.
      if (this.#isLetGo) throw aborted();
      if (done) {
        this.#reader = undefined;
        return received.whole();
      }
      try {
        received.add(value);
      } catch (error) {
        this.letGo();
        throw error;
      }
    }
  }
}
