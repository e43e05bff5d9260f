import { aborted, consumed, failedStream } from '../receiver/body-faults.js';
import { type Hold, ReceivedBytes } from './received-bytes.js';

/**
 * The part of a Fetch request that the adapter reads. Every `Request` has it, and so does the `HttpRequest` of Azure
 * Functions.
 */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Headers;
  /** The stream of the body's bytes. `null` if the request has no body. */
  readonly body: FetchBodyStream | null;
  /** Whether something has begun to read the body. */
  readonly bodyUsed: boolean;
  /** The adapter checks that this method exists, to recognize a request. It reads the stream. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A `ReadableStream` of bytes, from any module that declares it. */
interface FetchBodyStream {
  readonly locked: boolean;
  getReader(): FetchBodyReader;
}

interface FetchBodyReader {
  read(): Promise<
    { readonly done: true; readonly value?: unknown } | { readonly done: false; readonly value: Uint8Array }
  >;
  cancel(): Promise<unknown>;
}

/**
 * The body of a Fetch request. Counts the bytes as they arrive, so that a body with a missing or false length cannot exceed the
 * limit.
 */
export class FetchBody {
  readonly #request: FetchRequest;
  readonly #fixForConsumed: string;
  #reader: FetchBodyReader | undefined;
  #isLetGo = false;

  constructor(request: FetchRequest, fixForConsumed: string) {
    this.#request = request;
    this.#fixForConsumed = fixForConsumed;
  }

  /** @throws UnreadableBodyError if the body is too large, was read before, or did not arrive. */
  async read(limit: number, hold: Hold): Promise<Uint8Array> {
    const request = this.#request;
    if (request.bodyUsed || request.body?.locked) {
      throw consumed(this.#fixForConsumed);
    }
    if (request.body === null) return new Uint8Array();
    this.#reader = request.body.getReader();
    return this.#collect(this.#reader, new ReceivedBytes(limit, hold));
  }

  /** Stops reading after the response was sent, and releases the bytes that have arrived. */
  letGo(): void {
    this.#isLetGo = true;
    // Not awaited, because a sender that never ends the stream would delay the response.
    this.#reader?.cancel().catch(() => undefined);
  }

  async #collect(reader: FetchBodyReader, received: ReceivedBytes): Promise<Uint8Array> {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw failedStream(error);
      });
      // A cancelled reader reports that it is done.
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
