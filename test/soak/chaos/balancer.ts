import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../chance.js';
import { type Caller, type FailedRequest, failureOf, type Result } from '../control.js';

/** How often a call is made at most, the first time included. */
const mostTries = 8;
/** How long a replica that failed is passed over. In milliseconds. */
const suspicion = 2_000;
/** Between two tries. In milliseconds. */
const pause = 150;

/** What a load balancer does: spreads the calls over the replicas, and passes a call on that one did not take. */
export class Balancer implements Caller {
  readonly #origins: readonly string[];
  readonly #suspectUntil = new Map<string, number>();
  /** Responses by status, and failures without one. */
  readonly responses = new Map<string, number>();
  /** Wrong responses to right calls, with an example of each. */
  readonly strange = new Map<string, string>();

  constructor(origins: readonly string[]) {
    this.#origins = origins;
  }

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
        await wait(pause * tries);
      }
    }
  }

  #choose(chance: Chance): string {
    const now = performance.now();
    const trusted = this.#origins.filter((origin) => (this.#suspectUntil.get(origin) ?? 0) <= now);
    const [first = '', ...others] = trusted.length > 0 ? trusted : this.#origins;
    return chance.pick([first, ...others]);
  }

  #note(failure: FailedRequest): void {
    const { status, message, outcome } = failure;
    const name = status === undefined ? `no response (${outcome})` : String(status);
    this.#count(name);
    // A 503 is the right response without a database.
    const isStrange = status === 401 || (status !== undefined && status >= 500 && status !== 503);
    if (isStrange && !this.strange.has(name)) this.strange.set(name, message);
  }

  #count(name: string): void {
    this.responses.set(name, (this.responses.get(name) ?? 0) + 1);
  }
}

/** A 503 that says that nothing was changed, which the audit takes at its word. */
function saysNothingChanged({ status, message }: FailedRequest): boolean {
  return status === 503 && message.includes('Nothing was changed');
}
