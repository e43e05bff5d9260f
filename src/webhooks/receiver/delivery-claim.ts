import { after, atOnce, isLater } from '../../foundation/at-once.js';
import { steersFramework } from '../../foundation/steering.js';
import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';
import { ReceiverDeadlineError, ReceiverError } from './errors.js';
import type { TimedWaits } from './waits.js';

/** How many handled deliveries a process remembers that the store could not record. */
const unrecordedAtMost = 10_000;

/** How often a delivery that is not free is claimed again, in milliseconds. */
const betweenTries = 500;

/** Several in one lease, so that one failed renewal does not end the claim. */
const renewalsPerLease = 3;

/** How long a commit is repeated, and the first and the longest pause between two tries. In milliseconds. */
const [recordingTime, firstPause, longestPause] = [300_000, 250, 5_000];

/** The claims of a receiver: what this process knows beyond what the store does. */
export class ReceiverClaims {
  readonly waits: TimedWaits;
  /** This process, among all that share the store. Made at the first claim, because Workers have no random values before a request. */
  #process: string | undefined;
  #holders = 0;
  /** How long claims and commits last, in milliseconds. */
  readonly times: { readonly lease: number; readonly ttl: number };
  /** The names of handled deliveries that the store has not recorded yet, oldest first. */
  readonly unrecorded = new Set<string>();
  /** The claims that this process has and has not settled, by their names. The store may have lost them. */
  readonly held = new Map<string, DeliveryClaim>();

  constructor(waits: TimedWaits, times: { readonly lease: number; readonly ttl: number }) {
    this.waits = waits;
    this.times = times;
  }

  /** Who claims a delivery, for the store: no two claims have the same holder. */
  nextHolder(): string {
    this.#process ??= globalThis.crypto.randomUUID();
    this.#holders += 1;
    return `${this.#process}:${this.#holders}`;
  }
}

/** What became of a try to obtain a claim: in the end, `in_progress` says that it was given up. */
type Found = DedupeClaim | { readonly failure: unknown };

/** The claim of one attempt on its delivery: obtained, renewed while the handlers run, and recorded as handled or released. */
export class DeliveryClaim {
  readonly #claims: ReceiverClaims;
  readonly #store: DedupeStore;
  /** The name of the delivery in the store. */
  readonly name: string;
  readonly #report: (error: unknown) => void;
  /** Who claims, for the store. */
  readonly holder: string;
  /** Why the last try to obtain it failed: another attempt has the delivery, or the store failed. `undefined` while the first try lasts. */
  obstacle: 'in_progress' | { readonly failure: unknown } | undefined;
  #isGivenUp = false;
  /** Whether the store may have the claim although it did not say so. */
  #isInDoubt = false;
  #isEnding = false;
  #cancelRenewal: (() => void) | undefined;
  #claimingAgain: DedupeClaim | Promise<DedupeClaim> | undefined;
  readonly #whenSettled: (() => void)[] = [];

  /** @param report Is called with failures of the store that do not end the delivery. */
  constructor(claims: ReceiverClaims, store: DedupeStore, name: string, report: (error: unknown) => void) {
    this.#claims = claims;
    this.holder = claims.nextHolder();
    this.#store = store;
    this.name = name;
    this.#report = report;
  }

  /**
   * Claims the delivery. While another attempt has it or the store fails, tries again: the other attempt may fail or its process be dead,
   * or the store be back, and attempts are few.
   *
   * @param time For how long, in milliseconds.
   * @param mayTryAgain Is asked before each further try.
   * @returns At once what this process knows, or the store says at once. `in_progress` if it was given up.
   * @throws ReceiverError if the store is faulty, or what it throws to steer a framework.
   */
  obtain(time: number, mayTryAgain: () => boolean): DedupeClaim | Promise<DedupeClaim> {
    const first = this.#tryOnce();
    if (first === 'claimed' || first === 'done') return first;
    const obtaining = this.#obtainAfter(first, mayTryAgain);
    return this.#claims.waits.atMost(time, obtaining, () => {
      this.#isGivenUp = true;
      // It may still be on its way.
      obtaining.then((found) => (found === 'claimed' ? this.release() : undefined)).catch(() => {});
      return 'in_progress';
    });
  }

  async #obtainAfter(first: Found | Promise<Found>, mayTryAgain: () => boolean): Promise<DedupeClaim> {
    try {
      for (let found = await first; ; found = await this.#tryOnce()) {
        if (found === 'claimed' || found === 'done') return found;
        this.obstacle = found;
        await this.#untilNextTry();
        if (this.#isGivenUp || !mayTryAgain()) return 'in_progress';
      }
    } finally {
      this.#leaveNoDoubt();
    }
  }

  #tryOnce(): Found | Promise<Found> {
    const failed = (error: unknown): Found => {
      if (error instanceof ReceiverError || steersFramework(error)) throw error;
      return { failure: error };
    };
    try {
      const found = this.#begin();
      return isLater(found) ? found.catch(failed) : found;
    } catch (error) {
      return failed(error);
    }
  }

  #begin(): DedupeClaim | Promise<DedupeClaim> {
    if (this.#claims.unrecorded.has(this.name)) return 'done';
    if (this.#claims.held.has(this.name)) return 'in_progress';
    this.#isInDoubt = true;
    return after(atOnce(this.#store.claim(this.name, this.#lease)), (found: unknown) => {
      // Any value other than the three valid ones fails the delivery.
      if (found !== 'claimed' && found !== 'in_progress' && found !== 'done') {
        throw wrongResult('claim', found, "'claimed', 'in_progress' or 'done'");
      }
      this.#isInDoubt = false;
      if (found === 'claimed') this.#claims.held.set(this.name, this);
      return found;
    });
  }

  /** Waits until another try may have another result. */
  #untilNextTry(): Promise<void> {
    const other = this.#claims.held.get(this.name);
    const settled = other && new Promise<void>((resolve) => other.#whenSettled.push(resolve));
    return this.#claims.waits.pause(betweenTries, settled);
  }

  /** Releases what the store may have claimed. Does not wait for the store: a remaining claim expires. */
  #leaveNoDoubt(): void {
    if (!this.#isInDoubt) return;
    const release = async () => this.#store.release(this.name, { holder: this.holder });
    release().catch(() => {});
  }

  /** Renews the claim until it ends, or until another holder has the delivery. The claim of a dead process expires. */
  keepRenewing(): void {
    if (this.#cancelRenewal !== undefined) return;
    const wait = () => {
      const { waits, times } = this.#claims;
      this.#cancelRenewal = waits.start(times.lease / renewalsPerLease, renew);
    };
    const renew = async () => {
      wait(); // does not wait for the store
      try {
        if ((await this.#renew()) || this.#cancelRenewal === undefined) return;
        this.#stopRenewing();
        this.#report(claimLost());
      } catch (error) {
        if (this.#cancelRenewal !== undefined) this.#report(error);
      }
    };
    wait();
  }

  /** Renews the lease, and returns whether the claim is still valid. A claim that the store has lost is claimed again. */
  async #renew(): Promise<boolean> {
    const renewed: unknown = await this.#store.renew(this.name, this.#lease);
    if (typeof renewed !== 'boolean') throw wrongResult('renew', renewed, 'true or false');
    if (renewed || this.#isEnding) return true;
    this.#claimingAgain = this.#store.claim(this.name, this.#lease);
    return (await this.#claimingAgain) === 'claimed';
  }

  #stopRenewing(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
  }

  /**
   * Records that the delivery was handled. Until that has succeeded, this process remembers it. If the store fails, repeats it for some
   * minutes, and renews the claim meanwhile.
   *
   * @param onFirstFailure Is called when the store fails for the first time.
   * @returns Whether it is recorded.
   */
  record(onFirstFailure: (error: unknown) => void): boolean | Promise<boolean> {
    this.#isEnding = true;
    this.#rememberUnrecorded();
    this.#settle();
    const repeat = (error: unknown) => {
      onFirstFailure(error);
      return this.#recordAgain();
    };
    try {
      const recorded = this.#commit();
      if (isLater(recorded)) return recorded.then(() => this.#end(true), repeat);
      return this.#end(true);
    } catch (error) {
      return repeat(error);
    }
  }

  async #recordAgain(): Promise<boolean> {
    const { waits } = this.#claims;
    const giveUpAt = waits.now() + recordingTime;
    this.keepRenewing();
    for (let pause = firstPause; waits.now() + pause <= giveUpAt; pause = Math.min(2 * pause, longestPause)) {
      await waits.pause(pause);
      try {
        await this.#commit();
        return this.#end(true);
      } catch {
        // `onFirstFailure` has reported it.
      }
    }
    return this.#end(false);
  }

  #commit(): void | Promise<void> {
    const { times, unrecorded } = this.#claims;
    const committed = atOnce(this.#store.commit(this.name, { holder: this.holder, ttl: times.ttl }));
    return after(this.#confirmed(committed), () => void unrecorded.delete(this.name));
  }

  #rememberUnrecorded(): void {
    const { unrecorded } = this.#claims;
    const [oldest] = unrecorded;
    if (oldest !== undefined && unrecorded.size >= unrecordedAtMost) unrecorded.delete(oldest);
    unrecorded.add(this.name);
  }

  /** Releases the claim, so that the next attempt can handle the delivery. A claim that cannot be released expires. */
  async release(): Promise<void> {
    this.#isEnding = true;
    this.#stopRenewing();
    try {
      await this.#confirmed(this.#releaseInStore());
    } catch (error) {
      this.#report(error);
    } finally {
      this.#settle();
    }
  }

  async #releaseInStore(): Promise<void> {
    // A claim that is on its way would come after the release.
    if (isLater(this.#claimingAgain)) await this.#claimingAgain.catch(() => {});
    await this.#store.release(this.name, { holder: this.holder });
  }

  /** Waits for the store, at most for the time of a lease. */
  #confirmed(work: void | Promise<void>): void | Promise<void> {
    const { times, waits } = this.#claims;
    if (!isLater(work)) return work;
    return waits.atMost(times.lease, work, () => {
      throw new ReceiverError(
        'store_fault',
        `The dedupe store did not confirm within ${times.lease} ms that it recorded a handled delivery, or ` +
          'released a failed one. Check that the store is up and near.',
      );
    });
  }

  #end(isRecorded: boolean): boolean {
    this.#stopRenewing();
    return isRecorded;
  }

  /** Lets the other attempts in this process try again. */
  #settle(): void {
    this.#claims.held.delete(this.name);
    for (const settled of this.#whenSettled) settled();
  }

  get #lease() {
    return { holder: this.holder, lease: this.#claims.times.lease };
  }
}

/** Why a delivery could not be claimed within a time in milliseconds. */
export function notClaimed({ obstacle }: DeliveryClaim, time: number): unknown {
  if (obstacle === undefined) return new ReceiverDeadlineError('dedupe', time);
  if (obstacle !== 'in_progress') return obstacle.failure;
  return new ReceiverError(
    'in_progress',
    `A job was not processed, because another worker or web process held its delivery for ${time} ms. Let the queue deliver the job ` +
      'again later. If it has a visibility timeout, make it longer than the handlers take.',
  );
}

function claimLost(): ReceiverError {
  return new ReceiverError(
    'claim_lost',
    'The claim on a delivery ended while its handlers ran, so another process may handle the delivery too. ' +
      'Check that the dedupe store keeps keys for as long as it is asked to, and that nothing blocks this process ' +
      'for as long as `lease`.',
  );
}

function wrongResult(verb: 'claim' | 'renew', response: unknown, allowed: string): ReceiverError {
  // Quote only these three values. Any other value may contain private data.
  const given =
    response === null || response === true || response === false
      ? `${response}`
      : `a value of type ${typeof response}`;
  return new ReceiverError(
    'store_fault',
    `The dedupe store's ${verb}() resolved to ${given}; it must resolve to ${allowed}. Correct the store.`,
  );
}
