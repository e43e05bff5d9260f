import { type Context, Hono } from 'hono';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { Environment } from '../environment.js';
import type { ServerLog } from '../log.js';
import { ServiceError } from '../service/service-error.js';
import type { Store, WorkspaceStore } from '../store/store.js';
import { errorAnswer, successAnswer } from './answers.js';
import { authenticate } from './authentication.js';
import { readRequest } from './validation.js';

/** §4: the base URL carries this prefix. */
export const apiPrefix = '/api';

/** What an operation's rule came to: which of the operation's successes, and its result. */
export interface Success<Outcome extends string, Result> {
  readonly outcome: Outcome;
  readonly result: Result;
}

export interface ApplicationOptions {
  readonly store: Store;
  readonly environment: Environment;
  readonly log: ServerLog;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
}

/** The HTTP side of the server: everything about a request but what it means. */
export class Application {
  readonly #hono = new Hono();
  readonly #options: ApplicationOptions;
  readonly #methodsByPath = new Map<string, string[]>();

  constructor(options: ApplicationOptions) {
    this.#options = options;
    const { environment, log } = options;
    this.#hono.use(async (context, next) => {
      const requestId = environment.newId('request');
      await next();
      context.header('X-Request-Id', requestId);
      const time = new Date(environment.clock.now()).toISOString();
      const { method } = context.req;
      log({
        type: 'request',
        time,
        requestId,
        method,
        path: this.#template(context),
        status: context.res.status,
      });
    });
    this.#hono.onError((error) => this.#answerFailure(error));
    this.#hono.notFound((context) => this.#refuseUnknown(context));
  }

  /** Serves an operation of the contract's table by a rule of the service. */
  serve<Request extends OperationRequest, Result, Outcome extends string>(
    operation: Operation<Request, Result, Outcome>,
    rule: (workspace: WorkspaceStore, request: Request) => Promise<Success<Outcome, Result>>,
  ): void {
    this.handle(operation.method, apiPrefix + operation.path, async (context, workspace) => {
      const request = await readRequest(context, operation, this.#options.bodyLimit);
      const { outcome, result } = await rule(workspace, request);
      return successAnswer(operation, outcome, result);
    });
  }

  /** Serves a path that is not in the contract, for whoever has a workspace's key. */
  handle(
    method: string,
    path: string,
    handler: (context: Context, workspace: WorkspaceStore) => Promise<Response>,
  ): void {
    this.#methodsByPath.set(path, [...(this.#methodsByPath.get(path) ?? []), method]);
    this.#hono.on(method, path, async (context) =>
      handler(context, await authenticate(this.#options.store, context.req.header('authorization'))),
    );
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
      return this.#answerFailure(error);
    }
  }

  #answerFailure(error: unknown): Response {
    if (error instanceof ServiceError) return errorAnswer(error);
    const { environment, log } = this.#options;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log({ type: 'error', time: new Date(environment.clock.now()).toISOString(), message });
    return errorAnswer(new ServiceError('internal_error', 'The server failed; its log says why.'));
  }

  /** 405 where the path exists under another method, otherwise 404. */
  #refuseUnknown(context: Context): Response {
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
