import { aborted, consumed, failedStream } from '../receiver/body-faults.js';
import { type Hold, ReceivedBytes } from './received-bytes.js';

/**
 * The part of a Fetch request that the adapter reads. Every `Request` has it, and so does the `HttpRequest` of Azure
 * Functions.
 */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Headers;
  /** The stream of the body's bytes, from any module that declares it. `null` if the request has no body. */
  readonly body: { readonly locked: boolean; getReader(): FetchBodyReader } | null;
  /** Whether something has begun to read the body. */
  readonly bodyUsed: boolean;
  /** The adapter checks that this method exists, to recognize a request. It reads the stream. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

type FetchBodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/**
 * The body of a Fetch request. Counts the bytes as they arrive, so that a body with a missing or false length cannot exceed the
 * limit.
 */
export function fetchBody(request: FetchRequest, fixForConsumed: string) {
  let reader: FetchBodyReader | undefined;
  let isLetGo = false;

  /** Stops reading after the response was sent, and releases the bytes that have arrived. */
  function letGo(): void {
    isLetGo = true;
    // Not awaited, because a sender that never ends the stream would delay the response.
    reader?.cancel().catch(() => undefined);
  }

  /** @throws UnreadableBodyError if the body is too large, was read before, or did not arrive. */
  async function read(limit: number, hold: Hold): Promise<Uint8Array> {
    if (request.bodyUsed || request.body?.locked) throw consumed(fixForConsumed);
    const received = new ReceivedBytes(limit, hold);
    reader = request.body?.getReader();
    for (;;) {
      const chunk = await reader?.read().catch((error) => {
        throw failedStream(error);
      });
      // A cancelled reader reports that it is done.
      if (isLetGo) throw aborted();
      if (chunk?.value === undefined) {
        reader = undefined;
        return received.whole();
      }
      try {
        received.add(chunk.value);
      } catch (error) {
        letGo();
        throw error;
      }
    }
  }

  return { read, letGo };
}
