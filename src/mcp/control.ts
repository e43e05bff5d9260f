import { filledPath } from '../contract/operation.js';
import { type Schema, validate } from '../contract/schema.js';
import type { Clock } from '../foundation/clock.js';
import type { ControlOperation, QueryParameters } from '../server/http/control/control-operation.js';

/** The message that an agent gets instead of a result. */
export class ToolFailure extends Error {
  static {
    this.prototype.name = 'ToolFailure';
  }
}

/** The control surface of a running server, as the tools need it. The command line has the implementation. */
export interface ControlSurface {
  /** Where the server is. */
  readonly url: string;
  /** Masks the key, signing secrets and phone numbers in a text. */
  readonly shown: (text: string) => string;
  /** Writes a value as JSON, masked in the same way. */
  readonly json: (value: unknown) => string;
  /**
   * Calls an operation and returns its response, read from JSON; an empty object if it has no body.
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
}

/** Values of query parameters. Undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | undefined>>;

interface Asked<Body> {
  /** The parameters in the path, by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: Body;
}

/** One call of a tool. */
export class Call {
  readonly surroundings: Surroundings;
  readonly #signal: AbortSignal;

  /** @param signal - Aborts when the agent cancels the call, or when its time is up. */
  constructor(surroundings: Surroundings, signal: AbortSignal) {
    this.surroundings = surroundings;
    this.#signal = signal;
  }

  /** Calls an operation of the control surface, and checks the response against the operation's schema. */
  async ask<Path extends string, Parameters extends QueryParameters, Body, Result>(
    operation: ControlOperation<Path, Parameters, Body, Result>,
    { path = {}, query = {}, body }: Asked<Body> = {},
  ): Promise<Result> {
    const { surface } = this.surroundings;
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
    const response = await surface.ask(operation.method, filledPath(operation.path, path) + search, {
      signal: this.#signal,
      ...(body !== undefined && { body: Object(body) }),
    });
    const schema: Schema<Result> | undefined = operation.result;
    if (schema === undefined) return Object(response);
    const validation = validate(schema, response);
    if (validation.valid) return validation.value;
    throw new ToolFailure(
      `${surface.url} returned an unknown form of ${operation.name}. Use the same version of messaging-automation for \`serve\` and \`mcp\`.`,
    );
  }
}
