import { connectionReset, stalledBody } from '../faults/broken-body.js';
import { ServiceError } from '../model/service-error.js';
import type { Reply } from '../responses/response.js';
import { BodyPieces, incompleteBody, type ServerRequest, tooLarge } from './server-request.js';

/** Adapts a `Request` for the application. */
export function fromRequest(request: Request): ServerRequest {
  const { pathname: path, search } = new URL(request.url);
  return {
    method: request.method,
    path,
    search,
    localAddress: '',
    gone: request.signal,
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => request.headers,
    async readBody(limit) {
      if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
      // Cancelling the stream would close the connection before the client has its response.
      return readStream(request.body?.values({ preventCancel: true }) ?? [], limit);
    },
  };
}

async function readStream(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = new BodyPieces(limit);
  try {
    for await (const piece of body) pieces.add(piece);
  } catch (error) {
    throw error instanceof ServiceError ? error : incompleteBody();
  }
  return pieces.join();
}

/**
 * Converts a reply to a `Response`.
 *
 * @throws As `fetch` does: TypeError if a fault breaks the connection, or the abort reason of the request.
 */
export async function toResponse(reply: Reply, { method, signal }: Request): Promise<Response> {
  if (reply.status === 'reset') throw signal.aborted ? signal.reason : connectionReset();
  const { status, headers, body, bytes, stalledBy, pieces } = reply;
  if (pieces !== undefined) return new Response(bytesOf(pieces), { status, headers });
  if (bytes !== undefined) return new Response(method === 'HEAD' ? null : bytes, { status, headers });
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
