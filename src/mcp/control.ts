import { filledPath } from '../contract/operation.js';
import { type Schema, validate } from '../contract/schema.js';
import type { Clock } from '../foundation/clock.js';
import type { ControlOperation, QueryParameters } from '../server/http/control/control-operation.js';
import { controlOperations } from '../server/http/control/control-operations.js';
import type { Guide } from './guides.js';
import { ToolFailure } from './tool-failure.js';

/** The control surface of a running server, as the tools need it. The command line has the implementation. */
export interface ControlSurface {
  /** Where the server is. */
  readonly url: string;
  /** Masks the key, signing secrets and phone numbers in a text. */
  readonly shown: (text: string) => string;
  /** Writes a value as JSON, masked in the same way. */
  readonly json: (value: unknown) => string;
  /**
   * Calls an operation and returns its response, read from JSON; undefined if it has no body.
   *
   * @throws An error with a message for users, and with the response's `status` if the server refused the call.
   */
  ask(
    method: string,
    path: string,
    request?: { readonly body?: object; readonly signal?: AbortSignal },
  ): Promise<unknown>;
}

/** What the tools work with. */
export interface Surroundings {
  readonly surface: ControlSurface;
  /** The machine's clock. */
  readonly clock: Clock;
  /** An entry of the journal in one line. */
  readonly describe: (entry: unknown) => string;
  /**
   * Reads the guides of the package.
   *
   * @throws ToolFailure if this copy of the package has none.
   */
  readonly guides: () => Promise<readonly Guide[]>;
}

interface Asked<Body> {
  /** The parameters in the path, by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: Body;
}

/** The surroundings of one call of a tool. */
export class Call {
  readonly #surroundings: Surroundings;
  readonly #signal: AbortSignal;

  /** @param signal - Aborts when the agent cancels the call, or when its time is up. */
  constructor(surroundings: Surroundings, signal: AbortSignal) {
    this.#surroundings = surroundings;
    this.#signal = signal;
  }

  /** Where the server is. */
  get url(): string {
    return this.#surroundings.surface.url;
  }

  /** An entry of the journal in one line. */
  describe(entry: unknown): string {
    return this.#surroundings.describe(entry);
  }

  /**
   * Reads the guides of the package.
   *
   * @throws ToolFailure if this copy of the package has none.
   */
  guides(): Promise<readonly Guide[]> {
    return this.#surroundings.guides();
  }

  /** Calls an operation of the control surface, and checks the response against the operation's schema. */
  async ask<Path extends string, Query extends QueryParameters, Body, Result>(
    operation: ControlOperation<Path, Query, Body, Result>,
    asked: Asked<Body> = {},
  ): Promise<Result> {
    const answer = await this.#answer(operation, asked);
    const schema: Schema<Result> | undefined = operation.result;
    if (schema === undefined) return Object(answer);
    const validation = validate(schema, answer);
    if (validation.valid) return validation.value;
    throw new ToolFailure(
      `${this.url} returned an unknown form of ${operation.name}. Use the same version of messaging-automation for \`serve\` and \`mcp\`.`,
    );
  }

  async #answer<Body>(
    operation: { readonly name: string; readonly method: string; readonly path: string },
    { path = {}, query = {}, body }: Asked<Body>,
  ): Promise<unknown> {
    const { surface } = this.#surroundings;
    const filled = filledPath(operation.path, path);
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
    try {
      return await surface.ask(operation.method, filled + search, {
        signal: this.#signal,
        ...(body !== undefined && { body: Object(body) }),
      });
    } catch (error) {
      if (statusOf(error) === 404 && !(await this.#has(operation))) {
        throw new ToolFailure(
          `The server at ${this.url} is too old: it has no ${operation.name}. Use the same version of messaging-automation for \`serve\` and \`mcp\`.`,
        );
      }
      throw error;
    }
  }

  /** Whether the server lists an operation. */
  async #has({ method, path }: { readonly method: string; readonly path: string }): Promise<boolean> {
    const { index } = controlOperations.surface;
    const listed = await this.#surroundings.surface.ask(index.method, index.path, { signal: this.#signal });
    const { operations }: { readonly operations?: unknown } = Object(listed);
    if (!Array.isArray(operations)) return true;
    return operations.some((each) => Object(each).method === method && Object(each).path === path);
  }
}

/** The status of the server's refusal. */
export function statusOf(error: unknown): unknown {
  return Object(error).status;
}
