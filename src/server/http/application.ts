import { type Context, Hono } from 'hono';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { Clock } from '../../foundation/clock.js';
import type { Environment } from '../environment.js';
import type { ServerLog } from '../log.js';
import { ServiceError } from '../service/service-error.js';
import type { Services } from '../service/services.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type Answer, errorAnswer, successAnswer, toResponse } from './answers.js';
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
  Variables: { requestId: string };
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
      log({ type: 'request', time, requestId, method, path, status: context.res.status });
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
      let body: Uint8Array<ArrayBuffer> | undefined;
      const answer = await this.#orRefusal(async () => {
        if ('body' in operation.request) body = await readBody(context.req, this.#options.bodyLimit);
        const { outcome, result } = await rule(workspace.services, readRequest(context, operation, body));
        return successAnswer(operation, outcome, result);
      });
      workspace.context.record({
        type: 'request',
        at: workspace.clock.now(),
        requestId: context.get('requestId'),
        operation: operation.name,
        method: operation.method,
        path: pathAndQuery(context.req.url),
        ...(body && { body }),
        status: answer.status,
        ...(answer.body !== undefined && { answer: answer.body }),
      });
      return answer;
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

  /** Answers a request. Never rejects. */
  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#hono.fetch(request);
    } catch (error) {
      // Hono hands on what was thrown without being an Error.
      return toResponse(this.#answerFailure(error));
    }
  }

  #route(
    method: string,
    path: string,
    handler: (context: Context<RequestVariables>, workspace: LiveWorkspace) => Promise<Answer>,
  ): void {
    this.#methodsByPath.set(path, [...(this.#methodsByPath.get(path) ?? []), method]);
    this.#hono.on(method, path, async (context) => {
      const workspace = await authenticate(this.#options.openWorkspace, context.req.header('authorization'));
      return toResponse(await handler(context, workspace));
    });
  }

  async #orRefusal(answer: () => Promise<Answer>): Promise<Answer> {
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
