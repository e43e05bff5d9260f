import { createRedactor, type Redact } from '../../contract/redaction.js';
import { CommandFailure, reasonOf } from '../terminal/failures.js';
import { printable } from '../terminal/terminal.js';
import { maskedJson, parsed, reasonIn } from './answers.js';
import { rootOf } from './deployment-root.js';

/** A request to a control surface, without its method and path. */
export interface ControlRequest {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** A field that the answer must have. */
  readonly expected?: string;
}

/** A client of a server's control surface. */
export class ControlSurface {
  /** The server's URL, without `/api`. */
  readonly url: string;
  /** Masks the key, signing secrets and phone numbers, and escapes control characters. */
  readonly shown: Redact;
  /** Writes a value as JSON, masked in the same way. */
  readonly json: (value: unknown) => string;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    const redact = createRedactor(() => [apiKey]);
    this.url = rootOf(baseUrl);
    this.shown = (text) => printable(redact(text));
    this.json = (value) => maskedJson(value, redact);
    this.#apiKey = apiKey;
  }

  /**
   * Calls an operation, and returns its JSON response: an object, which is empty for an empty response.
   *
   * @throws CommandFailure if the server does not answer, refuses, or its answer lacks the expected field.
   */
  async ask(
    method: string,
    path: string,
    { expected, ...request }: ControlRequest = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#request(method, path, request);
    const text = await this.#textOf(response);
    const body = response.status === 204 ? {} : parsed(text);
    const answer: Readonly<Record<string, unknown>> = Object(body);
    if (answer === body && (expected === undefined || expected in answer)) return answer;
    throw this.#missing();
  }

  /**
   * Opens a stream of server-sent events.
   *
   * @throws CommandFailure if the server does not answer, refuses, or answers without a stream.
   */
  async stream(path: string, request: ControlRequest): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const response = await this.#request('GET', path, request);
    const type = response.headers.get('Content-Type') ?? '';
    if (response.body !== null && type.startsWith('text/event-stream')) return response.body;
    await response.body?.cancel();
    throw this.#missing();
  }

  async #request(method: string, path: string, { body, headers, signal }: ControlRequest): Promise<Response> {
    const response = await this.#fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    throw await this.#refusal(response, method, path.replace(/\?.*/s, ''), signal);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      // A redirect would send the key to another host, or drop it.
      return await fetch(this.url + path, { ...init, redirect: 'manual' });
    } catch (error) {
      throw this.#lost(error);
    }
  }

  async #textOf(response: Response): Promise<string> {
    return response.text().catch((error: unknown) => {
      throw this.#lost(error);
    });
  }

  async #refusal(
    response: Response,
    method: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<CommandFailure> {
    const { status } = response;
    const reason = this.shown(reasonIn(await response.text().catch(() => '')));
    const why = reason === '' ? '' : `: ${reason}`;
    if (status >= 500 || status === 429) {
      return new CommandFailure(`${this.url} answered ${status}${why}`, { mayPass: true });
    }
    const index = await this.#textOf(await this.#fetch('/control', { signal: signal ?? null }));
    const { operations }: { readonly operations?: readonly Listed[] } = Object(parsed(index));
    if (!Array.isArray(operations)) return this.#missing();
    if (status === 401) {
      return new CommandFailure(
        `${this.url} has no workspace with this key. Pass the right key with --api-key or $MESSAGING_AUTOMATION_API_KEY. serve prints it when it starts.`,
      );
    }
    if (status === 404 && !operations.some((listed) => isOf(listed, method, path))) {
      return new CommandFailure(
        `The server at ${this.url} is too old: it has no ${method} ${this.shown(path)}. Start \`serve\` with the version of messaging-automation that this command has.`,
      );
    }
    return new CommandFailure(`${this.url} refused this with ${status}${why}`, { status });
  }

  /** The error for a server without a control surface. */
  #missing(): CommandFailure {
    return new CommandFailure(
      `${this.url} has no control surface. This command needs a reference server: start one with \`messaging-automation serve\`.`,
    );
  }

  #lost(error: unknown): CommandFailure {
    return new CommandFailure(
      `Nothing answers at ${this.url} (${this.shown(reasonOf(error))}). Start a server with \`messaging-automation serve\`, or pass its URL with --url.`,
      { mayPass: true },
    );
  }
}

/** An operation of the control surface, in its list. Its path has `:name` for a parameter. */
interface Listed {
  readonly method: string;
  readonly path: string;
}

function isOf(listed: Listed, method: string, path: string): boolean {
  return listed.method === method && new RegExp(`^${listed.path.replace(/:\w+/g, '[^/]+')}$`).test(path);
}
