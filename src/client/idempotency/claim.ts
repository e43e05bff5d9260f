import { type Clock, steadyTime } from '../../foundation/clock.js';
import type { KeyValueService } from '../../key-value/key-value-service.js';
import { forEver } from '../../key-value/records.js';
import { Deadline } from '../call/deadline.js';
import { type KeyRecord, leaseName, recordOf, sentRecord, textOf } from './key-record.js';

/** In milliseconds. A process that has not renewed its lease for so long is dead, or has stopped. */
const leaseLasts = 30_000;
const renewEvery = 10_000;
/** How long after the lease began a call asks the store before its request, and how long after it no request leaves. */
const confirmAfter = leaseLasts / 2;
const refuseAfter = (2 / 3) * leaseLasts;
/** The waits between tries to record an outcome: each is twice as long as the one before. In milliseconds. */
const firstPause = 50;
/** How long a call tries to record its outcome, in milliseconds. */
const recordWithin = 10_000;

/** What is known of a request when its call ends. `free`: nothing was carried out, so the key may be used again. */
export type KeyOutcome = 'sent' | 'unknown' | 'free';

/** What a {@link KeyClaim} needs. */
export interface KeyClaimOptions {
  readonly store: KeyValueService;
  readonly clock: Clock;
  /** The deadline of the call, which bounds each wait for the store before the requests. */
  readonly deadline: Deadline;
  /** How long the record of a request that was carried out is kept, in milliseconds. */
  readonly retention: number;
  /** The name of the record. */
  readonly name: string;
  /** The open record of this call. */
  readonly record: KeyRecord;
}

/**
 * One call's claim of a key, in five steps: {@link KeyClaim.take} before anything else, {@link KeyClaim.keep} while the call waits,
 * {@link KeyClaim.confirm} right before each request, {@link KeyClaim.isHeld} before its first byte, and {@link KeyClaim.end}.
 */
export class KeyClaim {
  readonly #store: KeyValueService;
  readonly #clock: Clock;
  readonly #deadline: Deadline;
  readonly #retention: number;
  readonly #name: string;
  /** The record as this call has written it last. */
  #record: KeyRecord;
  /** The last write of the record, if there was one. It may take place after the call has stopped waiting for it. */
  #writing: Promise<unknown> | undefined;
  /** The latest moment at which the key was certainly this call's, and its lease began. */
  #held: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  #cancelRenewal = () => {};

  constructor({ store, clock, deadline, retention, name, record }: KeyClaimOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#deadline = deadline;
    this.#retention = retention;
    this.#name = name;
    this.#record = record;
  }

  /**
   * Takes the key if it is free. The lease comes first, so that nobody sees the record of a living call without one.
   *
   * @returns `taken` once the key is this call's; else the record of another call, or `gone` if it went meanwhile.
   */
  async take(): Promise<'taken' | 'gone' | { readonly text: string }> {
    const before = await this.#read();
    if (before !== '') return { text: before };
    const begun = this.#now();
    await this.#deadline.bound(this.#renewLease());
    const own = textOf(this.#record);
    const isAdded = await this.#write(this.#store.setIfAbsent(this.#name, own, forEver));
    // A client that lost its connection may send a command twice, and the first one has added the record.
    const found = isAdded ? own : await this.#read();
    if (found !== own) return found === '' ? 'gone' : { text: found };
    this.#held = begun;
    return 'taken';
  }

  /** Renews the lease until the claim ends. */
  keep(): void {
    this.#cancelRenewal = this.#clock.setTimer(() => {
      void this.#renewInTime();
      this.keep();
    }, renewEvery);
  }

  /**
   * Asks whether the key is still this call's, right before a request. A lease that did not end since the key was taken, and that has half of
   * its time left, says so: nobody can settle the key. A call that was paused may have lost it. It changes its record by compare and set,
   * so of a settlement and a request at the same time, one fails.
   */
  async confirm(): Promise<boolean> {
    if (this.#sinceHeld() < confirmAfter) return true;
    const begun = this.#now();
    await this.#deadline.bound(this.#renewLease());
    const before = textOf(this.#record);
    this.#record = { ...this.#record, renewals: (this.#record.renewals ?? 0) + 1 };
    const after = textOf(this.#record);
    const isReplaced = await this.#write(this.#store.replaceIfEqual(this.#name, before, after, forEver));
    const isOwn = isReplaced || (await this.#read()) === after;
    if (isOwn) this.#held = begun;
    return isOwn;
  }

  /** Whether the lease cannot have ended: it has a third of its time left. */
  isHeld(): boolean {
    return this.#sinceHeld() < refuseAfter;
  }

  /**
   * Records what has become of the request. Never rejects, because the request has its outcome.
   *
   * @returns Whether it is recorded. If not, it counts as unknown once the lease has ended.
   */
  async end(outcome: KeyOutcome, requestId?: string): Promise<boolean> {
    this.#cancelRenewal();
    if (this.#writing === undefined) return true; // the key was never free, so there is nothing to record
    const written = this.#writing.catch(() => {});
    const expired = () => new Error('The store did not respond.');
    const deadline = new Deadline({ clock: this.#clock, timeout: recordWithin, expired });
    try {
      await deadline.bound(written);
      for (let pause = firstPause; ; pause *= 2) {
        const recording = this.#recordEnd(outcome, requestId).then(
          () => true,
          () => false,
        );
        if (await deadline.bound(recording)) return true;
        await deadline.wait(pause);
      }
    } catch {
      return false;
    } finally {
      deadline.dispose();
    }
  }

  async #recordEnd(outcome: KeyOutcome, requestId: string | undefined): Promise<void> {
    const store = this.#store;
    if (outcome === 'free') await this.#changeOwn((text) => store.deleteIfEqual(this.#name, text));
    if (outcome === 'sent') await this.#recordSent(requestId);
    // Without the lease, an open record counts as unknown at once.
    await store.deleteIfEqual(leaseName(this.#record), alive);
  }

  async #recordSent(requestId: string | undefined): Promise<void> {
    const sent = textOf(sentRecord(this.#record, requestId));
    const isSent = await this.#changeOwn((text) =>
      this.#store.replaceIfEqual(this.#name, text, sent, this.#retention),
    );
    // The key was settled as not sent meanwhile, or the store has lost the record.
    if (!isSent) await this.#store.setIfAbsent(this.#name, sent, this.#retention);
  }

  /** Changes the record if it is still this call's. A write whose response was lost may have changed it before. */
  async #changeOwn(change: (text: string) => Promise<boolean>): Promise<boolean> {
    if ((await change(textOf(this.#record))) === true) return true;
    const text = await this.#store.get(this.#name);
    const found = text ? recordOf(text) : undefined;
    const isOwn = found?.call === this.#record.call && found.state === 'sending';
    return isOwn && (await change(text ?? '')) === true;
  }

  async #read(): Promise<string> {
    return (await this.#deadline.bound(this.#store.get(this.#name))) ?? '';
  }

  /** Waits for a write of the record until the deadline of the call. {@link KeyClaim.end} waits until it has taken place. */
  async #write(writing: Promise<boolean>): Promise<boolean> {
    const written = Promise.resolve(writing);
    this.#writing = written;
    return (await this.#deadline.bound(written)) === true;
  }

  async #renewLease(): Promise<void> {
    await this.#store.set(leaseName(this.#record), alive, leaseLasts);
  }

  /** A renewal after the end of the lease does not say that the key is still this call's. The next one may succeed if this one fails. */
  async #renewInTime(): Promise<void> {
    const begun = this.#now();
    try {
      await this.#renewLease();
      if (this.#sinceHeld() < leaseLasts) this.#held = begun;
    } catch {
      // Without a lease, the call confirms its key before its next request.
    }
  }

  /** Milliseconds since {@link KeyClaim.#held}, by the clock that says more: a steady one may stop with its machine. */
  #sinceHeld(): number {
    const { steady, wall } = this.#now();
    return Math.max(steady - this.#held.steady, wall - this.#held.wall);
  }

  #now(): Moment {
    return { steady: steadyTime(this.#clock), wall: this.#clock.now() };
  }
}

const alive = 'alive';

/** One moment by two clocks, in milliseconds. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}
