import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { Clock } from '../../foundation/clock.js';
import { type Answer, errorAnswer, type Reply, successAnswer } from '../answers/answer.js';
import { faultHeader } from '../faults/request-faults.js';
import type { Environment } from '../model/environment.js';
import type { RequestFault } from '../model/fault.js';
import type { ServerLog } from '../model/log.js';
import { ServiceError } from '../model/service-error.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import type { Services } from '../service/services.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { authenticate, type OpenWorkspace } from './authentication.js';
import type { Cors } from './cors.js';
import type { ReceivedRequest } from './received-request.js';
import { readBody } from './request-body.js';
import { Routes } from './routes.js';
import { readRequest } from './validation.js';

/** §4: the base URL carries this prefix. */
export const apiPrefix = '/api';

/** What an operation's rule came to: which of the operation's successes, and its result. */
export interface Success<Outcome extends string, Result> {
  readonly outcome: Outcome;
  readonly result: Result;
}

export interface ApplicationOptions {
  readonly openWorkspace: OpenWorkspace;
  /** The clock that stamps the log. */
  readonly clock: Clock;
  readonly newId: Environment['newId'];
  readonly log: ServerLog | undefined;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
  /** What holds for requests that no key opens a workspace for. */
  readonly gaps: SpecGaps;
  /** Lets pages of other origins in, where they are to be let in. */
  readonly cors: Cors | undefined;
}

/** A request on its way through the application. */
export interface Exchange {
  id: string;
  readonly request: ReceivedRequest;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What was injected into it. */
  faults: readonly RequestFault[];
}

const faultHeaderName = faultHeader.toLowerCase();

type Handler = (exchange: Exchange) => Promise<Reply>;

/**
 * The HTTP side of the server: everything about a request but what it means, and how it came. Requests come in by a
 * socket (node-edge.ts) or as a `Request` (fetch-edge.ts).
 */
export class Application {
  readonly #routes = new Routes<Handler>();
  readonly #options: ApplicationOptions;

  constructor(options: ApplicationOptions) {
    this.#options = options;
  }

  /** Serves an operation of the contract's table by a rule of the service. */
  serve<Request extends OperationRequest, Result, Outcome extends string>(
    operation: Operation<Request, Result, Outcome>,
    rule: (services: Services, request: Request) => Promise<Success<Outcome, Result>>,
  ): void {
    this.#routes.add(operation.method, apiPrefix + operation.path, async (exchange) => {
      const { id: requestId, request, parameters: path } = exchange;
      const workspace = await this.#authenticated(request);
      let body: Uint8Array<ArrayBuffer> | undefined;
      const perform = async () => {
        const parts = readRequest(operation, { path, search: request.search, body }, workspace.gaps);
        const { outcome, result } = await rule(workspace.services, parts);
        return successAnswer(operation, outcome, result, workspace.gaps);
      };
      const reply = await this.#orRefusal(workspace.gaps, async () => {
        workspace.services.rateLimit.admit();
        if ('body' in operation.request) body = await readBody(request, this.#options.bodyLimit);
        const asked = request.header(faultHeaderName);
        if (asked === undefined && !workspace.requestFaults.mayStrike) return perform();
        const faulty = await workspace.requestFaults.answer({ operation, requestId, asked }, () =>
          this.#orRefusal(workspace.gaps, perform),
        );
        exchange.faults = faulty.faults;
        return faulty.reply;
      });
      workspace.context.record({
        type: 'request',
        at: workspace.clock.now(),
        requestId,
        operation: operation.name,
        method: operation.method,
        path: request.path + request.search,
        ...(body && { body }),
        ...(reply !== 'reset' && { status: reply.status }),
        ...(reply !== 'reset' && reply.body !== undefined && { answer: reply.body }),
        ...(exchange.faults.length > 0 && { faults: exchange.faults }),
      });
      return reply;
    });
  }

  /** Serves a path that is not in the contract, for whoever has a workspace's key. No gap of the contract changes it. */
  handle(
    method: string,
    path: string,
    handler: (exchange: Exchange, workspace: LiveWorkspace) => Promise<Answer>,
  ): void {
    this.#routes.add(method, path, async (exchange) => {
      return this.#orRefusal(defaultSpecGaps, async () =>
        handler(exchange, await this.#authenticated(exchange.request)),
      );
    });
  }

  /** Serves a path that is not in the contract, for whoever asks. */
  handleOpenly(method: string, path: string, handler: (exchange: Exchange) => Promise<Answer>): void {
    this.#routes.add(method, path, handler);
  }

  /** The largest request body, in bytes. */
  get bodyLimit(): number {
    return this.#options.bodyLimit;
  }

  /** The answer to a request that cannot be made sense of before anybody looks at it. */
  async refuse(error: ServiceError): Promise<Answer> {
    let id = '';
    const answer = await this.#orRefusal<Answer>(this.#options.gaps, async () => {
      id = this.#options.newId('request');
      throw error;
    });
    return { ...answer, headers: { ...answer.headers, 'X-Request-Id': id } };
  }

  /** Answers a request. Never rejects. */
  async answer(request: ReceivedRequest): Promise<Reply> {
    const { cors } = this.#options;
    const found = this.#routes.find(request.method, request.path);
    const exchange: Exchange = {
      id: '',
      request,
      parameters: found?.parameters ?? {},
      faults: [],
    };
    const reply = await this.#orRefusal(this.#options.gaps, async () => {
      exchange.id = this.#options.newId('request');
      return cors?.preflight(request) ?? (found?.target ?? this.#refuseUnknown)(exchange);
    });
    this.#log(exchange, found?.template, reply);
    if (reply === 'reset') return reply;
    const headers = { ...reply.headers, ...cors?.headersFor(request), 'X-Request-Id': exchange.id };
    return { ...reply, headers };
  }

  #authenticated(request: ReceivedRequest): Promise<LiveWorkspace> {
    return authenticate(this.#options.openWorkspace, request.header('authorization'));
  }

  async #orRefusal<Result extends Reply>(
    gaps: SpecGaps,
    answer: () => Promise<Result>,
  ): Promise<Result | Answer> {
    try {
      return await answer();
    } catch (error) {
      return this.#answerFailure(error, gaps);
    }
  }

  #answerFailure(error: unknown, gaps: SpecGaps): Answer {
    if (error instanceof ServiceError) return errorAnswer(error, gaps);
    const { clock, log } = this.#options;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log?.({ type: 'error', time: new Date(clock.now()).toISOString(), message });
    return errorAnswer(new ServiceError('internal_error', 'The server failed; its log says why.'), gaps);
  }

  /** 405 where the path exists under another method, otherwise 404. */
  readonly #refuseUnknown: Handler = async ({ request: { method, path } }) => {
    const allowed = this.#routes.all(path).map((route) => route.method);
    if (allowed.length === 0) {
      throw new ServiceError(
        'unknown_path',
        `Nothing is served at ${namesIn(path)}. Every endpoint is under ${apiPrefix}/v1.`,
      );
    }
    const Allow = [...new Set(allowed)].join(', ');
    const refusal = new ServiceError('method_not_allowed', `This path takes ${Allow}, not ${method}.`);
    return errorAnswer(refusal, this.#options.gaps, { Allow });
  };

  #log({ id: requestId, request, faults }: Exchange, template: string | undefined, reply: Reply): void {
    const { log, clock } = this.#options;
    if (log === undefined) return;
    const { method, path } = request;
    // A path that others have routes for is known by its template, whatever the method.
    const known = template ?? this.#routes.all(path)[0]?.template;
    log({
      type: 'request',
      time: new Date(clock.now()).toISOString(),
      requestId,
      method,
      path: known ?? namesIn(path),
      ...(reply !== 'reset' && { status: reply.status }),
      ...(faults.length > 0 && { faults: faults.map(({ kind }) => kind) }),
    });
  }
}

/** A path of nobody's, which may hold anything, without what could be a phone number, an id or a key. */
function namesIn(path: string): string {
  return path
    .split('/')
    .map((part) => (/^(?:[a-z]+(?:[-_][a-z]+)*|v\d)?$/i.test(part) ? part : '***'))
    .join('/');
}
