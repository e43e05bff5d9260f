/**
 * The part of a request of node:http that the adapter needs to read the body, and to detect that it was read before, with what Express,
 * NestJS and serverless platforms add.
 */
export interface NodeRequest {
  /** The headers by lower-case name, as in Node. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readable: boolean;
  readonly readableEnded: boolean;
  readonly readableDidRead?: boolean;
  /** True while something reads. */
  readonly readableFlowing?: boolean | null;
  readonly readableEncoding?: string | null;
  readonly destroyed: boolean;
  /** The error that the stream was destroyed with. */
  readonly errored?: unknown;
  /** Returns how many listeners an event has. */
  listenerCount?(event: 'data'): number;
  /** Listens for the body's bytes. */
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  /** Listens for the end of the body, a pause, an error or a disconnect. */
  on(event: 'end' | 'pause' | 'error' | 'close', listener: () => void): unknown;
  /** Stops listening for bytes. */
  removeListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  /** Stops listening for the end. */
  removeListener(event: 'end' | 'pause' | 'error' | 'close', listener: () => void): unknown;
  /** Stops the flow of bytes. */
  pause(): unknown;
  /** Resumes the stream. */
  resume?(): unknown;
  readonly method?: string | undefined;
  /** False until the whole request has arrived. */
  readonly complete?: boolean;
  readonly httpVersion?: string;
  /** The stream of a request over HTTP/2, which ends with its response. */
  readonly stream?: unknown;
  /** The connection of a request over HTTP/1. */
  readonly socket?: {
    /** Ends this side of the connection once everything is written. */
    end(): unknown;
    /** Destroys the connection once everything is written. */
    destroySoon?(): unknown;
  };
  /** Disconnects the sender. */
  destroy?(): unknown;
  /**
   * The body as received, if the platform keeps it: NestJS with `rawBody: true`, Google Cloud Functions. Bytes, or the text that
   * was decoded from them.
   */
  readonly rawBody?: unknown;
  /** The parsed body. With `express.raw()`, its bytes. */
  readonly body?: unknown;
}

/**
 * The part of a response of node:http that the adapter observes. The response of a framework's test has fewer of its parts.
 */
export type WrittenResponse = {
  readonly destroyed?: boolean;
  /** Whether the connection stays open after the response, as in `node:http`. */
  shouldKeepAlive?: boolean;
  /** Whether all of the response was handed to the connection. */
  readonly writableFinished?: boolean;
  /** The stream of a response over HTTP/2. */
  readonly stream?: unknown;
  /** Calls the listener when the response is written, or the connection has closed. */
  once?(event: 'finish' | 'close', listener: () => void): unknown;
};

/**
 * The part of a response of node:http that the adapter writes.
 */
export type NodeResponse = WrittenResponse & {
  statusCode: number;
  readonly headersSent: boolean;
  /** Sets a header of the response. */
  setHeader(name: string, value: string): unknown;
  /** Sends the response. */
  end(body: string): unknown;
};
