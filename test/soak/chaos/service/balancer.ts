import { setTimeout as wait } from 'node:timers/promises';
import { RequestError } from 'messaging-automation';
import type { Outcome } from '../../calls.js';
import type { Chance } from '../../chance.js';

/** What became of a call in the end, and what it gave. */
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

/** How often a call is made at most, the first time included. */
const mostTries = 8;
/** How long a replica is passed over that has failed. In milliseconds. */
const suspicion = 2_000;
/** Between two tries. In milliseconds. */
const pause = 150;

/** What a load balancer does: spreads the calls over the replicas, and has another take what one has not. */
export class Balancer {
  readonly #origins: readonly string[];
  readonly #suspectUntil = new Map<string, number>();
  /** Answers by status, and failures without one. */
  readonly answers = new Map<string, number>();
  /** Answers that are no answer to a call that was right, with an example of each. */
  readonly strange = new Map<string, string>();
  /** Calls that another replica took over. */
  retried = 0;

  constructor(origins: readonly string[]) {
    this.#origins = origins;
  }

  /**
   * Makes a call on one replica, and where that has not taken it on another.
   *
   * @param repeatable - Whether the call may be made again though it may have been carried out.
   */
  async call<Value>(
    chance: Chance,
    repeatable: boolean,
    make: (origin: string) => Promise<Value>,
  ): Promise<Result<Value>> {
    let unsure = false;
    for (let tries = 1; ; tries += 1) {
      const origin = this.#choose(chance);
      try {
        const value = await make(origin);
        this.#count('2xx');
        return { outcome: 'success', value };
      } catch (error) {
        const failure = failureOf(error);
        if (failure === undefined) throw error;
        this.#note(failure);
        const turnedAway = failure.outcome === 'not_sent' || saysNothingChanged(failure);
        // A 429 is a refusal of any replica; the rest is about the call itself.
        if (failure.outcome === 'rejected' && !turnedAway)
          return { outcome: unsure ? 'unknown' : 'rejected' };
        if (failure.status === undefined) this.#suspectUntil.set(origin, performance.now() + suspicion);
        if (!turnedAway) {
          unsure = true;
          if (!repeatable) return { outcome: 'unknown' };
        }
        if (tries === mostTries) return { outcome: unsure ? 'unknown' : 'not_sent' };
        this.retried += 1;
        await wait(pause * tries);
      }
    }
  }

  /** Passes those over that do not answer for their health, until `ended` is aborted. */
  async watch(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await Promise.all(
        this.#origins.map(async (origin) => {
          const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(1_000) }).catch(
            () => undefined,
          );
          await response?.body?.cancel();
          if (response === undefined) this.#suspectUntil.set(origin, performance.now() + suspicion);
        }),
      );
      await wait(500);
    }
  }

  #choose(chance: Chance): string {
    const now = performance.now();
    const [first, ...others] = this.#origins.filter((origin) => (this.#suspectUntil.get(origin) ?? 0) <= now);
    if (first !== undefined) return chance.pick([first, ...others]);
    return this.#origins[chance.between(0, this.#origins.length - 1)] ?? '';
  }

  #note(failure: FailedRequest): void {
    const { status, message, outcome } = failure;
    const name = status === undefined ? `no answer (${outcome})` : String(status);
    this.#count(name);
    // A 503 is the right answer without a database.
    const isStrange = status === 401 || (status !== undefined && status >= 500 && status !== 503);
    if (isStrange && !this.strange.has(name)) this.strange.set(name, message);
  }

  #count(name: string): void {
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
  }
}

/** A 503 that says that nothing was changed, which the accounts take at its word. */
function saysNothingChanged({ status, message }: FailedRequest): boolean {
  return status === 503 && message.includes('Nothing was changed');
}

function failureOf(error: unknown): FailedRequest | undefined {
  return error instanceof RequestError || error instanceof ControlError ? error : undefined;
}

/** A failed request to the control surface. */
export class ControlError extends Error implements FailedRequest {
  readonly outcome: FailedRequest['outcome'];
  readonly status: number | undefined;

  constructor(message: string, outcome: FailedRequest['outcome'], status?: number) {
    super(message);
    this.outcome = outcome;
    this.status = status;
  }
}

/** Makes a request to the control surface of one replica, and gives the body of its answer, whose shape other tests check. */
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
    throw new ControlError(String(error), wasRefused(error) ? 'not_sent' : 'unknown');
  }
  if (!response.ok) {
    const outcome = response.status >= 500 ? 'unknown' : 'rejected';
    throw new ControlError(
      `${method} /control/${path}: ${response.status} ${text}`,
      outcome,
      response.status,
    );
  }
  return JSON.parse(text === '' ? 'null' : text);
}

function wasRefused(error: unknown): boolean {
  const cause: unknown = Reflect.get(Object(error), 'cause');
  return Reflect.get(Object(cause), 'code') === 'ECONNREFUSED';
}
