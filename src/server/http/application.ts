import { createRedactor, type Redact } from '../../contract/redaction.js';
import type { Clock } from '../../foundation/clock.js';
import type { Environment } from '../model/environment.js';
import { isTold, nameInLog, type ServerLog } from '../model/log.js';
import { ServiceError } from '../model/service-error.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import { errorResponse, type HttpResponse, type Reply } from '../responses/response.js';
import { type LiveWorkspace, runOpened } from '../workspace/live-workspace.js';
import type { Cors, HostCheck } from './other-origins.js';
import { Routes } from './routes.js';
import type { Exchange, ServerRequest } from './server-request.js';

/** The prefix of all paths of the API. A client's base URL ends with it. */
export const apiPrefix = '/api';

/** Finds the workspace that a key opens. */
export type OpenWorkspace = (apiKey: string) => Promise<LiveWorkspace | undefined>;

/** Called when a request begins. Returns a function that is called with the route and the status when the request ends. */
export type RequestObserver = () => (route: RequestRoute | undefined, status: Reply['status']) => void;

/** The route of a request: its method, and its path with the names of parameters, such as `/api/v1/contacts/:id`. */
export interface RequestRoute {
  readonly method: string;
  readonly template: string;
}

export interface ApplicationOptions {
  readonly openWorkspace: OpenWorkspace;
  /** The initial keys of the workspaces. */
  readonly apiKeys: () => readonly string[];
  /** The clock of the log's timestamps. */
  readonly clock: Clock;
  readonly newId: Environment['newId'];
  readonly log: ServerLog | undefined;
  readonly observe?: RequestObserver | undefined;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
  /** Returns the `specGaps` for requests without a valid key. */
  readonly gaps: () => SpecGaps;
  /** Allows pages of other origins, if configured. */
  readonly cors: Cors | undefined;
  /** Rejects requests with other hosts, if configured. */
  readonly hosts: HostCheck | undefined;
}

/** Serves the requests to a path. */
interface Endpoint {
  readonly handler: (exchange: Exchange) => Promise<Reply>;
  /** Returns the format of its errors. */
  readonly gaps: () => SpecGaps;
}

/**
 * The HTTP layer of the server: routing, keys, errors and the log. Requests arrive on a socket (node-edge.ts) or as a
 * `Request` (fetch-edge.ts).
 */
export class Application {
  readonly #routes = new Routes<Endpoint>();
  /** The functions that add routes on demand, by the first segment of the path. */
  readonly #later = new Map<string, () => Promise<void>>();
  readonly #options: ApplicationOptions;
  /** Handles a path without an endpoint. */
  readonly #noEndpoint: Endpoint;

  constructor(options: ApplicationOptions) {
    this.#options = options;
    this.#noEndpoint = { handler: (exchange) => this.#refuseUnknown(exchange), gaps: options.gaps };
  }

  /**
   * Serves a path for requests with a workspace's key.
   *
   * @param gaps The format of errors. Default: the default of `specGaps`.
   */
  handle(
    method: string,
    path: string,
    handler: (exchange: Exchange, workspace: LiveWorkspace) => Promise<Reply>,
    gaps = () => defaultSpecGaps,
  ): void {
    const withKey = async (exchange: Exchange) => {
      const workspace = await this.authenticate(exchange);
      return workspace.requests.during(() => runOpened(workspace, () => handler(exchange, workspace)));
    };
    this.#routes.add(method, path, { handler: withKey, gaps });
  }

  /**
   * Returns the workspace that the key of a request opens.
   *
   * @throws ServiceError if the request has no valid key.
   */
  async authenticate({ request }: Exchange): Promise<LiveWorkspace> {
    const apiKey = bearerKey(request.header('authorization'));
    if (apiKey === undefined) {
      throw new ServiceError(
        'unauthorized',
        'Send the API key in the header Authorization: Bearer <API_KEY>.',
      );
    }
    const workspace = await this.#options.openWorkspace(apiKey);
    if (workspace === undefined) throw new ServiceError('unauthorized', 'The API key is not valid.');
    return workspace;
  }

  /** Serves a path for every request, with or without a key. */
  handleOpenly(method: string, path: string, handler: (exchange: Exchange) => Promise<HttpResponse>): void {
    this.#routes.add(method, path, { handler, gaps: this.#options.gaps });
  }

  /** Adds the routes under paths of one segment at the first request for one of them. */
  addLater(paths: readonly `/${string}`[], add: () => Promise<void>): void {
    let adding: Promise<void> | undefined;
    const addOnce = async () => {
      adding ??= add();
      try {
        await adding;
      } catch (error) {
        adding = undefined;
        throw error;
      }
      for (const path of paths) this.#later.delete(path);
    };
    for (const path of paths) this.#later.set(path, addOnce);
  }

  /** The largest request body, in bytes. */
  get bodyLimit(): number {
    return this.#options.bodyLimit;
  }

  /** The `specGaps` for requests without a valid key. */
  readonly gaps = (): SpecGaps => this.#options.gaps();

  /** Handles a request. Never rejects. */
  async respond(request: ServerRequest): Promise<Reply> {
    const ended = this.#options.observe?.();
    try {
      const id = this.#options.newId('request');
      const later = this.#later.get(`/${request.path.split('/', 2)[1]}`);
      if (later !== undefined) await later();
      const found = this.#routes.find(request.method, request.path);
      const exchange: Exchange = { id, request, parameters: found?.parameters ?? {} };
      const reply = await this.#reply(exchange, found?.target ?? this.#noEndpoint);
      ended?.(found, reply.status);
      this.#log(exchange, found?.template, reply);
      return reply.status === 'reset' ? reply : this.#withHeaders(reply, id, request);
    } catch (error) {
      const refusal = this.refusal(error, this.gaps());
      ended?.(undefined, refusal.status);
      return refusal;
    }
  }

  /** Returns the response to a request that the server cannot parse. */
  async refuse(error: ServiceError): Promise<Reply> {
    try {
      return this.#withHeaders(errorResponse(error, this.gaps()), this.#options.newId('request'));
    } catch (failure) {
      return this.refusal(failure, this.gaps());
    }
  }

  /** Returns the response to a failed request. An unexpected error becomes an internal error, and the log gets its stack. */
  refusal(error: unknown, gaps: SpecGaps): HttpResponse {
    if (error instanceof ServiceError) return errorResponse(error, gaps);
    const internal = new ServiceError(
      'internal_error',
      'The server had an internal error. Its log has the reason.',
    );
    if (isTold(error)) return errorResponse(internal, gaps);
    const { clock, log } = this.#options;
    const stack: unknown = Reflect.get(Object(error), 'stack');
    const message = typeof stack === 'string' ? stack : String(error);
    log?.({ type: 'error', time: new Date(clock.now()).toISOString(), message });
    return errorResponse(internal, gaps);
  }

  async #reply(exchange: Exchange, { handler, gaps }: Endpoint): Promise<Reply> {
    const { hosts, cors } = this.#options;
    const { request } = exchange;
    try {
      return hosts?.refusal(request, gaps()) ?? cors?.preflight(request) ?? (await handler(exchange));
    } catch (error) {
      return this.refusal(error, gaps());
    }
  }

  /** Adds the request's id and the CORS headers to a reply. */
  #withHeaders(reply: HttpResponse, id: string, request?: ServerRequest): HttpResponse {
    const { headers } = reply;
    const forOrigin = request && this.#options.cors?.headersFor(request);
    const bothVary = headers.Vary !== undefined && forOrigin?.Vary !== undefined;
    return {
      ...reply,
      headers: {
        ...headers,
        ...forOrigin,
        ...(bothVary && { Vary: `${headers.Vary}, ${forOrigin.Vary}` }),
        'X-Request-Id': id,
      },
    };
  }

  /** 405 if the path exists with another method, else 404. */
  async #refuseUnknown({ request }: Exchange): Promise<HttpResponse> {
    const { method, path } = request;
    const allowed = this.#routes.all(path).map((route) => route.method);
    if (allowed.length === 0) {
      // Load all routes, so that the error can suggest any path.
      await Promise.all([...this.#later.values()].map((add) => add()));
      throw new ServiceError(
        'unknown_path',
        `No endpoint exists at ${this.#namesIn(request)}. ${this.#advice(path)}`,
      );
    }
    const Allow = [...new Set(allowed)].join(', ');
    const refusal = new ServiceError('method_not_allowed', `This path supports ${Allow}, not ${method}.`);
    return errorResponse(refusal, this.gaps(), { Allow });
  }

  #advice(path: string): string {
    const closest = this.#routes.nearest(path);
    return closest === undefined
      ? `Every endpoint is under ${apiPrefix}/v1.`
      : `Did you mean ${closest}? Every endpoint is under ${apiPrefix}/v1.`;
  }

  #log({ id: requestId, request }: Exchange, template: string | undefined, reply: Reply): void {
    const { log, clock } = this.#options;
    if (log === undefined) return;
    const { method, path } = request;
    // A path with a route has a template, for any method.
    const known = template ?? this.#routes.all(path)[0]?.template;
    log({
      type: 'request',
      time: new Date(clock.now()).toISOString(),
      requestId,
      method,
      path: known ?? this.#namesIn(request),
      ...(reply.status !== 'reset' && { status: reply.status }),
      ...(reply.status !== 'reset' && reply.refusal && { error: this.#reasonOf(reply.refusal, request) }),
      ...(reply.faults && { faults: reply.faults.map(({ kind }) => kind) }),
    });
  }

  /** Describes in one line why a request was rejected. */
  #reasonOf(refusal: ServiceError, request: ServerRequest): string {
    return this.#redactorFor(request)(reasonInLog(refusal));
  }

  /** An unknown path, without the parts that could be a phone number, an id, a key or a secret. */
  #namesIn(request: ServerRequest): string {
    return this.#redactorFor(request)(request.path)
      .split('/')
      .map((part) => (/^(?:[a-z]+(?:[-_][a-z]+)*|v\d)?$/i.test(part) ? part : '***'))
      .join('/');
  }

  #redactorFor(request: ServerRequest): Redact {
    const keys = [bearerKey(request.header('authorization')) ?? '', ...this.#options.apiKeys()];
    return createRedactor(() => keys);
  }
}

/** Returns the key in the `Authorization` header. Undefined if there is none. */
export function bearerKey(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

/** The largest number of fields in a log line. */
const fieldsNamed = 3;

/** Describes why a request was rejected. Shows names from the request, never values. */
export function reasonInLog({ code, message, details }: ServiceError): string {
  if (details.length === 0) return `${code}: ${withoutValues(message)}`;
  const named = details
    .slice(0, fieldsNamed)
    .map(({ field, message: problem }) => `${fieldInLog(field) || 'the body'} ${withoutValues(problem)}`);
  const more = details.length > fieldsNamed ? `; and ${details.length - fieldsNamed} more` : '';
  return `${code}: ${named.join('; ')}${more}`;
}

/** Shows the parts of a field's path that look like names. Any other part may be a misplaced value. */
function fieldInLog(field: string): string {
  return field.replace(/[^.[\]]+/g, (part) =>
    /^(?:[a-z]+(?:[-_][a-z]+)*|\d{1,4})$/i.test(part) ? part : '***',
  );
}

/** Masks quoted text, which comes from the request, unless it is a plain name. */
function withoutValues(text: string): string {
  return text.replace(/"([^"]*)"/g, (_, quoted: string) => `"${nameInLog(quoted)}"`);
}
