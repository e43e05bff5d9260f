import { filledPath } from '../../contract/filled-path.js';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { Remedy } from '../../server/index.js';
import type { CallParts, ControlOperation, QueryParameters } from '../../server/subjects/operation.js';
import type { EntryJsonOf } from './entry.js';
import { RefusedError, refusalOf } from './refused-error.js';

/** The prefix of the API's paths. */
const apiPrefix = '/api';

/** The parts of an API request. */
export interface ApiRequest {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly body?: unknown;
}

/** The server that shows this page, asked with the key of one workspace. */
export class Surface {
  readonly #apiKey: string;

  constructor(apiKey: string) {
    this.#apiKey = apiKey;
  }

  /**
   * Asks for an operation of the control surface.
   *
   * @throws RefusedError that says why the server refused.
   */
  async control<Path extends string, Query extends QueryParameters, Body, Result>(
    { method, path }: ControlOperation<Path, Query, Body, Result>,
    request: CallParts<Path, Query, Body> = {},
  ): Promise<Result> {
    return contentOf(await this.send(method, path, request));
  }

  /**
   * Sends a request to the API, as an application does.
   *
   * @returns The body of the response, as it is.
   * @throws RefusedError that says why the server refused.
   */
  async api<Request extends OperationRequest, Result>(
    { method, path }: Operation<Request, Result>,
    request: Request,
  ): Promise<unknown> {
    return contentOf(await this.send(method, apiPrefix + path, request));
  }

  /** Sends requests that the server has named, one after the other, up to the first that it refuses. */
  async inOrder(requests: Remedy['requests']): Promise<void> {
    for (const { method, path, body } of requests) {
      // A colon of a path is not the start of a parameter's name.
      await this.send(method, path.replaceAll(':', '%3A'), { body });
    }
  }

  /** Sends a request, and returns its response, which is a success. */
  async send(
    method: string,
    path: string,
    { path: parameters = {}, query = {}, body }: ApiRequest,
    { headers, signal }: Pick<RequestInit, 'signal'> & { headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> {
    const target = filledPath(path, parameters);
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    );
    const response = await this.#fetch(search.size === 0 ? target : `${target}?${search}`, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    throw await refusalOf(response);
  }

  /**
   * Sends a request of the journal again, with the same bytes and with the key of this page.
   *
   * @returns The status of the response, whether or not it is a success.
   */
  async repeat({ method, path, headers = [], body }: EntryJsonOf<'request'>): Promise<number> {
    const [, type = 'application/json'] =
      headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
    const { status } = await this.#fetch(path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': type },
      body: body ?? null,
    });
    return status;
  }

  /** Sends a request with the key. Throws if there is no response. */
  async #fetch(target: string, { headers, signal, ...request }: RequestInit): Promise<Response> {
    try {
      return await fetch(target, {
        ...request,
        cache: 'no-store',
        headers: { Authorization: `Bearer ${this.#apiKey}`, ...headers },
        signal: signal ?? null,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new RefusedError('The server does not respond. Is `serve` still running?');
    }
  }
}

/** The JSON of a response. Null if the body is empty. */
async function contentOf(response: Response) {
  const text = await response.text();
  return JSON.parse(text === '' ? 'null' : text);
}
