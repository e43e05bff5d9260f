import { builtinModule } from '../../foundation/builtin.js';

/** A delivery as an HTTP request. */
export interface WireDelivery {
  readonly url: URL;
  readonly bytes: Uint8Array;
  /** The headers by their names as sent. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A delivery as a request of `node:http`, to call a handler without a socket. It
 * is a `Readable` of `node:stream` with the method, the path and the headers of an `IncomingMessage`, so `raw-body`,
 * `co-body` and `micro` read it, too. The body can be read once.
 */
export interface TestNodeRequest extends RequestStream, RequestHead {}

/** The part of a `Readable` that is used. Declared here, so that the file compiles without Node's types. */
interface RequestStream extends AsyncIterable<Uint8Array> {
  /** Whether there is more to read. */
  readonly readable: boolean;
  /** Whether the body was read. */
  readonly readableEnded: boolean;
  /** Whether something has begun to read the body. */
  readonly readableDidRead: boolean;
  readonly readableEncoding: string | null;
  readonly destroyed: boolean;
  /** Adds a listener. The first listener for `data` starts the stream. */
  on(event: string, listener: (chunk: Uint8Array) => void): this;
  /** Removes a listener. */
  removeListener(event: string, listener: (chunk: Uint8Array) => void): this;
  /** Pauses the stream. */
  pause(): this;
  /** Resumes the stream. */
  resume(): this;
}

interface RequestHead {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  /** The headers by lower-case name, as in Node. */
  readonly headers: Readonly<Record<string, string>>;
  /** Always true, because the whole request has arrived. */
  readonly complete: boolean;
}

/** The part of `node:stream` that is used. */
interface NodeStreams {
  readonly Readable: new (options: {
    read(this: { push(chunk: Uint8Array | null): unknown }): void;
  }) => RequestStream;
}

/** @throws TypeError if the runtime has no `node:stream`. */
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

/** The method, the path and the headers of a request of `node:http`. */
export function headOf({ url, bytes, headers }: WireDelivery): RequestHead {
  return {
    method: 'POST',
    url: url.pathname + url.search,
    headers: lowercaseNames({ host: url.host, ...headers, 'content-length': String(bytes.byteLength) }),
    complete: true,
  };
}

/** Converts the names to lower case, as in Node, Lambda's format 2.0 and load balancers. */
export function lowercaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A runtime either has Node's module under this name, or no such module. */
function isNodeStreams(streams: unknown): streams is NodeStreams {
  return streams !== undefined;
}
