import type { HonoRequest } from 'hono';
import { invalidRequest, ServiceError } from '../service/service-error.js';

/** Reads a request's body, or refuses it with 413, 415 or 400. Never reads more than `limit` bytes. */
export async function readBody(request: HonoRequest, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  checkContentType(request.header('content-type'));
  return readBytes(request, limit);
}

/** The JSON that a body holds, or a refusal with 400. */
export function parseJson(body: Uint8Array): unknown {
  const value = parse(decode(body));
  const forbidden = pathOfForbiddenKey(value);
  if (forbidden !== undefined) {
    throw invalidRequest([{ field: forbidden, message: 'is a name that no field may have' }]);
  }
  return value;
}

function checkContentType(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const otherCharset = parameters.some((parameter) => /^charset=(?!"?utf-8"?$)/.test(parameter));
  if (type === 'application/json' && !otherCharset) return;
  throw new ServiceError(
    'unsupported_media_type',
    'The body must be sent with Content-Type: application/json, in UTF-8.',
  );
}

async function readBytes(request: HonoRequest, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.header('content-length');
  if (Number(declared ?? 0) > limit) throw tooLarge(limit);
  const reading = declared === undefined ? readBeyond(limit, request.raw.body) : request.arrayBuffer();
  const bytes = await reading.catch(() => {
    throw new ServiceError('invalid_json', 'The body broke off before its end.');
  });
  if (bytes.byteLength > limit) throw tooLarge(limit);
  return new Uint8Array(bytes);
}

/** Reads to the end, or until the limit is passed. */
async function readBeyond(
  limit: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Cancelling the stream would cut the connection before the client has its answer.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > limit) break;
  }
  return concatenate(chunks, length);
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The body is larger than the ${limit} bytes this server takes.`,
  );
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not UTF-8.');
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new ServiceError('invalid_json', 'The body is empty; send a JSON object.');
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not valid JSON.');
  }
}

/**
 * Where the value has a key named `__proto__`, which a careless copy of the object would turn into its
 * prototype. Walks without recursion, for a body may be nested as deeply as its size allows.
 */
function pathOfForbiddenKey(value: unknown): string | undefined {
  const toVisit: { readonly value: unknown; readonly path: string }[] = [{ value, path: '' }];
  for (let next = toVisit.pop(); next !== undefined; next = toVisit.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, child] of Object.entries(next.value)) {
      const path = isList ? `${next.path}[${key}]` : next.path === '' ? key : `${next.path}.${key}`;
      if (key === '__proto__') return path;
      toVisit.push({ value: child, path });
    }
  }
  return undefined;
}
