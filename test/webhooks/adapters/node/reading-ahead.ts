import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** Reads a body away, as a logging middleware might, and leaves nothing of it. */
export async function drain(request: IncomingMessage): Promise<void> {
  request.resume();
  if (!request.readableEnded) await once(request, 'end');
}

/** Reads a body and parses it, as frameworks without a parser of their own have it done. */
export async function parse(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
