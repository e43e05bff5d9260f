import { type Context, Hono } from 'hono';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { Clock } from '../../foundation/clock.js';
import type { Environment } from '../environment.js';
import type { Connection } from '../faults/broken-body.js';
import { connectionReset } from '../faults/connection-reset.js';
import type { RequestFault } from '../faults/fault.js';
import { faultHeader } from '../faults/request-faults.js';
import type { ServerLog } from '../log.js';
import { ServiceError } from '../service/service-error.js';
import type { Services } from '../service/services.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type Answer, errorAnswer, type Reply, successAnswer, toResponse } from './answers.js';
import { authenticate, type OpenWorkspace } from './authentication.js';
import { readBody } from './request-body.js';
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
  readonly log: ServerLog;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
}

/** What Hono keeps for a request. */
interface RequestVariables {
  Bindings: Exchange;
  Variables: { requestId: string };
}

/** What is known of a request beside its answer. */
interface Exchange {
  faults: readonly RequestFault[];
  /** Its connection is to break, whatever the answer. */
  reset: boolean;
  readonly connection: Connection | undefined;
}

/** The HTTP side of the server: everything about a request but what it means. */
export class Application {
  readonly #hono = new Hono<RequestVariables>();
  readonly #options: ApplicationOptions;
  readonly #methodsByPath = new Map<string, string[]>();

  constructor(options: ApplicationOptions) {
    this.#options = options;
    const { newId, clock, log } = options;
    this.#hono.use(async (context, next) => {
      const requestId = newId('request');
      context.set('requestId', requestId);
      await next();
      context.header('X-Request-Id', requestId);
      const time = new Date(clock.now()).toISOString();
      const { method } = context.req;
      const path = this.#template(context);
      const { faults, reset } = context.env;
      const status = !reset && { status: context.res.status };
      const injected = faults.length > 0 && { faults: faults.map(({ kind }) => kind) };
      log({ type: 'request', time, requestId, method, path, ...status, ...injected });
    });
    this.#hono.onError((error) => toResponse(this.#answerFailure(error)));
    this.#hono.notFound((context) => toResponse(this.#refuseUnknown(context)));
  }

  /** Serves an operation of the contract's table by a rule of the service. */
  serve<Request extends OperationRequest, Result, Outcome extends string>(
    operation: Operation<Request, Result, Outcome>,
    rule: (services: Services, request: Request) => Promise<Success<Outcome, Result>>,
  ): void {
    this.#route(operation.method, apiPrefix + operation.path, async (context, workspace) => {
      const requestId = context.get('requestId');
      let body: Uint8Array<ArrayBuffer> | undefined;
      const perform = async () => {
        const { outcome, result } = await rule(workspace.services, readRequest(context, operation, body));
        return successAnswer(operation, outcome, result);
      };
      const reply = await this.#orRefusal(async () => {
        if ('body' in operation.request) body = await readBody(context.req, this.#options.bodyLimit);
        const asked = context.req.header(faultHeader);
        if (asked === undefined && !workspace.requestFaults.mayStrike) return perform();
        const { reply, faults } = await workspace.requestFaults.answer({ operation, requestId, asked }, () =>
          this.#orRefusal(perform),
        );
        context.env.faults = faults;
        return reply;
      });
      workspace.context.record({
        type: 'request',
        at: workspace.clock.now(),
        requestId,
        operation: operation.name,
        method: operation.method,
        path: pathAndQuery(context.req.url),
        ...(body && { body }),
        ...(reply !== 'reset' && { status: reply.status }),
        ...(reply !== 'reset' && reply.body !== undefined && { answer: reply.body }),
        ...(context.env.faults.length > 0 && { faults: context.env.faults }),
      });
      return reply;
    });
  }

  /** Serves a path that is not in the contract, for whoever has a workspace's key. */
  handle(
    method: string,
    path: string,
    handler: (context: Context, workspace: LiveWorkspace) => Promise<Answer>,
  ): void {
    this.#route(method, path, (context, workspace) => this.#orRefusal(() => handler(context, workspace)));
  }

  /** The largest request body, in bytes. */
  get bodyLimit(): number {
    return this.#options.bodyLimit;
  }

  /** Answers a request. Rejects only where a fault resets the connection, as any `fetch` does then. */
  async fetch(request: Request, connection?: Connection): Promise<Response> {
    const exchange: Exchange = { faults: [], reset: false, connection };
    const response = await this.#respond(request, exchange);
    if (!exchange.reset) return response;
    connection?.reset();
    throw connectionReset();
  }

  async #respond(request: Request, exchange: Exchange): Promise<Response> {
    try {
      return await this.#hono.fetch(request, exchange);
    } catch (error) {
      // Hono hands on what was thrown without being an Error.
      return toResponse(this.#answerFailure(error));
    }
  }

  #route(
    method: string,
    path: string,
    handler: (context: Context<RequestVariables>, workspace: LiveWorkspace) => Promise<Reply>,
  ): void {
    this.#methodsByPath.set(path, [...(this.#methodsByPath.get(path) ?? []), method]);
    this.#hono.on(method, path, async (context) => {
      const workspace = await authenticate(this.#options.openWorkspace, context.req.header('authorization'));
      const reply = await handler(context, workspace);
      if (reply !== 'reset') return toResponse(reply, context.env.connection);
      context.env.reset = true;
      return new Response(null);
    });
  }

  async #orRefusal<Result extends Reply>(answer: () => Promise<Result>): Promise<Result | Answer> {
    try {
      return await answer();
    } catch (error) {
      return this.#answerFailure(error);
    }
  }

  #answerFailure(error: unknown): Answer {
    if (error instanceof ServiceError) return errorAnswer(error);
    const { clock, log } = this.#options;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log({ type: 'error', time: new Date(clock.now()).toISOString(), message });
    return errorAnswer(new ServiceError('internal_error', 'The server failed; its log says why.'));
  }

  /** 405 where the path exists under another method, otherwise 404. */
  #refuseUnknown(context: Context): Answer {
    const { method, path } = context.req;
    const allowed = [...this.#methodsByPath].flatMap(([template, methods]) =>
      matches(template, path) ? methods : [],
    );
    if (allowed.length === 0) {
      return errorAnswer(
        new ServiceError(
          'unknown_path',
          `Nothing is served at ${namesIn(path)}. Every endpoint is under ${apiPrefix}/v1.`,
        ),
      );
    }
    const Allow = [...new Set(allowed)].join(', ');
    return errorAnswer(new ServiceError('method_not_allowed', `This path takes ${Allow}, not ${method}.`), {
      Allow,
    });
  }

  #template(context: Context): string {
    const { path } = context.req;
    return [...this.#methodsByPath.keys()].find((template) => matches(template, path)) ?? namesIn(path);
  }
}

/** The URL without its origin. */
function pathAndQuery(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

/** A path of nobody's, which may hold anything, without what could be a phone number, an id or a key. */
function namesIn(path: string): string {
  return path
    .split('/')
    .map((part) => (/^(?:[a-z]+(?:[-_][a-z]+)*|v\d)?$/i.test(part) ? part : '***'))
    .join('/');
}

function matches(template: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = template.split('/');
  return (
    wanted.length === parts.length &&
    wanted.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : part === parts[i]))
  );
}
