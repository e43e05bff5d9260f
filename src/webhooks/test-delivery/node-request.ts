import { builtinModule } from '../../foundation/builtin.js';

/** What a delivery looks like on the wire. */
export interface WireDelivery {
  readonly url: URL;
  readonly bytes: Uint8Array;
  /** By the names as they are sent. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A delivery in the shape of the request that `node:http` hands to a server, for calling a handler without a socket. It
 * is a `Readable` of `node:stream` with the method, the path and the headers of an `IncomingMessage`, so `raw-body`,
 * `co-body` and `micro` read it, too. The body can be read once.
 */
export interface TestNodeRequest extends RequestStream, RequestHead {}

/** What is used of a `Readable`, spelled out so that this compiles where Node's types do not exist. */
interface RequestStream extends AsyncIterable<Uint8Array> {
  /** Whether there is more to read. */
  readonly readable: boolean;
  /** Whether the body was read. */
  readonly readableEnded: boolean;
  /** Whether somebody has begun to read the body. */
  readonly readableDidRead: boolean;
  readonly readableEncoding: string | null;
  readonly destroyed: boolean;
  /** Listens to an event; the first listener for `data` makes the body flow. */
  on(event: string, listener: (chunk: Uint8Array) => void): this;
  /** Listens no more. */
  removeListener(event: string, listener: (chunk: Uint8Array) => void): this;
  /** Holds what has not flowed yet. */
  pause(): this;
  /** Lets the body flow. */
  resume(): this;
}

interface RequestHead {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  /** By their names in lowercase, as Node has them. */
  readonly headers: Readonly<Record<string, string>>;
  /** True: the whole of it has arrived. */
  readonly complete: boolean;
}

/** What is used of `node:stream`. */
interface NodeStreams {
  readonly Readable: new (options: {
    read(this: { push(chunk: Uint8Array | null): unknown }): void;
  }) => RequestStream;
}

/** @throws TypeError where the runtime has no `node:stream`. */
export function nodeRequestOf(delivery: WireDelivery): TestNodeRequest {
  const streams = builtinModule('node:stream');
  if (!isNodeStreams(streams)) {
    throw new TypeError(
      'toNodeRequest() and toFastifyRequest() make streams of node:stream, which this runtime does not have. ' +
        'Test the receiver with toRequest(), or run the test in Node.',
    );
  }
  const request = new streams.Readable({
    read() {
      this.push(delivery.bytes);
      this.push(null);
    },
  });
  return Object.assign(request, headOf(delivery));
}

/** All that a request of `node:http` says before its body. */
export function headOf({ url, bytes, headers }: WireDelivery): RequestHead {
  return {
    method: 'POST',
    url: url.pathname + url.search,
    headers: lowercaseNames({ host: url.host, ...headers, 'content-length': String(bytes.byteLength) }),
    complete: true,
  };
}

/** Headers as Node, Lambda's format 2.0 and load balancers name them. */
export function lowercaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** By this name a runtime has the module that Node documents, or none. */
function isNodeStreams(streams: unknown): streams is NodeStreams {
  return streams !== undefined;
}
