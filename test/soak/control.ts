import { setTimeout as wait } from 'node:timers/promises';
import { RequestError } from 'messaging-automation';
import type { Outcome } from './calls.js';
import type { Chance } from './chance.js';

/** What became of a call in the end, and what it returned. */
export interface Result<Value> {
  readonly outcome: Outcome;
  readonly value?: Value;
}

/** A request that failed, by whatever client. */
export interface FailedRequest {
  readonly outcome: 'rejected' | 'not_sent' | 'unknown';
  readonly status: number | undefined;
  readonly message: string;
}

/** Who makes calls on the service. */
export interface Caller {
  /** @param repeatable - Whether the call may be made again although it may have been carried out. */
  call<Value>(
    chance: Chance,
    repeatable: boolean,
    make: (origin: string) => Promise<Value>,
  ): Promise<Result<Value>>;
}

/**
 * Acts again until that succeeds, for as long as a service needs to come back after disruptions.
 *
 * @param act - Tells whether it has succeeded.
 */
export async function insistOn(name: string, act: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + 180_000;
  while (!(await act())) {
    if (performance.now() > endsAt) throw new Error(`${name}: the service does not come back.`);
    await wait(500);
  }
}

/** Calls again until the call succeeds, or is rejected because an earlier one succeeded. */
export async function insist<Value>(
  name: string,
  call: () => Promise<Result<Value>>,
): Promise<Result<Value>> {
  let result: Result<Value> = { outcome: 'unknown' };
  await insistOn(name, async () => {
    result = await call();
    return result.outcome === 'success' || result.outcome === 'rejected';
  });
  return result;
}

/** Makes each call once, on the only server. */
export function callerOf(origin: string): Caller {
  return {
    async call(_chance, _repeatable, make) {
      try {
        return { outcome: 'success', value: await make(origin) };
      } catch (error) {
        return { outcome: failureOf(error).outcome };
      }
    },
  };
}

/** Throws what is not the failure of a request. */
export function failureOf(error: unknown): FailedRequest {
  if (error instanceof RequestError || error instanceof ControlError) return error;
  throw error;
}

/** A failed request to the control surface. */
class ControlError extends Error implements FailedRequest {
  readonly outcome: FailedRequest['outcome'];
  readonly status: number | undefined;

  constructor(message: string, outcome: FailedRequest['outcome'], status?: number) {
    super(message);
    this.outcome = outcome;
    this.status = status;
  }
}

/** Makes a request to the control surface of one server, and returns the body of the response, whose shape other tests check. */
export async function askControl<Value>(
  origin: string,
  apiKey: string,
  method: string,
  path: string,
  { body, timeout = 6_000 }: { readonly body?: unknown; readonly timeout?: number } = {},
): Promise<Value> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${origin}/control/${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeout),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    const cause: unknown = Reflect.get(Object(error), 'cause');
    const refused = Reflect.get(Object(cause), 'code') === 'ECONNREFUSED';
    throw new ControlError(String(error), refused ? 'not_sent' : 'unknown');
  }
  if (!response.ok) {
    const outcome = response.status >= 500 ? 'unknown' : 'rejected';
    const message = `${method} /control/${path}: ${response.status} ${text}`;
    throw new ControlError(message, outcome, response.status);
  }
  return JSON.parse(text === '' ? 'null' : text);
}
