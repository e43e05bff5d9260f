import type { ReceivedRequest } from './received-request.js';
import { readBody } from './request-body.js';

/** A request on its way through the server. */
export class Exchange {
  /** Stands in the answer's header `X-Request-Id`. */
  readonly id: string;
  readonly request: ReceivedRequest;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  #body: Uint8Array<ArrayBuffer> | undefined;

  constructor(id: string, request: ReceivedRequest, parameters: Readonly<Record<string, string>>) {
    this.id = id;
    this.request = request;
    this.parameters = parameters;
  }

  /** The bytes of the body, once they were read. */
  get body(): Uint8Array<ArrayBuffer> | undefined {
    return this.#body;
  }

  /** @throws ServiceError where the body is not JSON by its type, is longer than the limit, or breaks off. */
  async readBody(limit: number): Promise<void> {
    this.#body = await readBody(this.request, limit);
  }
}
