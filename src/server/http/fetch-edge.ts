import { connectionReset, stalledBody } from '../faults/broken-body.js';
import type { Reply } from '../responses/response.js';
import { concatenated, incompleteBody, type ReceivedRequest, tooLarge } from './received-request.js';

/** Adapts a `Request` for the application. */
export function fromRequest(request: Request): ReceivedRequest {
  const { pathname: path, search } = new URL(request.url);
  return {
    method: request.method,
    path,
    search,
    localAddress: '',
    gone: request.signal,
    header: (name) => request.headers.get(name) ?? undefined,
    async readBody(limit) {
      const length = request.headers.get('content-length');
      if (Number(length ?? 0) > limit) throw tooLarge(limit);
      try {
        if (length === null) return await readUpTo(limit, request.body);
        const body = new Uint8Array(await request.arrayBuffer());
        if (body.byteLength > limit) throw tooLarge(limit);
        return body;
      } catch (error) {
        throw incompleteBody(error);
      }
    },
  };
}

/**
 * Converts a reply to a `Response`.
 *
 * @throws As `fetch` does: TypeError if a fault breaks the connection, or the abort reason of the request.
 */
export async function toResponse(reply: Reply, { method, signal }: Request): Promise<Response> {
  if (reply.status === 'reset') throw signal.aborted ? signal.reason : connectionReset();
  const { status, headers, body, stalledBy, pieces } = reply;
  if (pieces !== undefined) return new Response(bytesOf(pieces), { status, headers });
  if (body === undefined && stalledBy !== undefined) {
    await new Promise<void>((resolve) => stalledBy.add(resolve));
    throw connectionReset();
  }
  if (body === undefined || method === 'HEAD') return new Response(null, { status, headers });
  if (stalledBy === undefined) return new Response(body, { status, headers });
  const encoded = new TextEncoder().encode(body);
  const whole = { ...headers, 'Content-Length': String(encoded.byteLength) };
  return new Response(stalledBody(encoded, stalledBy), { status, headers: whole });
}

/** Converts the pieces to a stream of bytes, with backpressure. */
function bytesOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** Reads to the end, or until the limit is exceeded. */
async function readUpTo(
  limit: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Cancelling the stream would close the connection before the client has its response.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > limit) throw tooLarge(limit);
  }
  return concatenated(chunks, length);
}
