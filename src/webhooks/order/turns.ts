import { Line, type LineSettings, type Member } from './line.js';
import type { Place } from './turn-record.js';

/**
 * Lets the deliveries of a contact run one after the other, oldest first, in this process and in all others that share the store. Those of
 * other contacts run at the same time. Each has claimed its key before, and renews the claim while it waits and runs: whose claim has ended
 * is passed over.
 */
export class ContactTurns {
  readonly #settings: LineSettings;
  readonly #mostWaiting: number;
  /** The lines of the contacts that have deliveries here, by their groups. */
  readonly #lines = new Map<string, Line>();
  /** The lines of contacts that had deliveries here, which know what the record does not say yet. The oldest are forgotten. */
  readonly #idle = new Map<string, Line>();

  /**
   * @param settings - `ttl`: how long a contact's record lasts after its last change, in milliseconds. It must be longer than any delivery
   *   runs. `mostWaiting`: how many deliveries of one contact wait in this process.
   */
  constructor({ mostWaiting, ...settings }: LineSettings & { readonly mostWaiting: number }) {
    this.#settings = settings;
    this.#mostWaiting = mostWaiting;
  }

  /**
   * Joins a delivery to those of its contact. End it with `leave` in each case.
   *
   * @param group - The contact, by `contactGroup`.
   * @returns `undefined` if too many of the contact wait.
   */
  join(group: string, place: Place): ContactTurn | undefined {
    const line = this.#lines.get(group) ?? this.#idle.get(group) ?? this.#createLine(group);
    this.#idle.delete(group);
    this.#lines.set(group, line);
    return line.length < this.#mostWaiting ? new ContactTurn(line, place) : undefined;
  }

  /** How many contacts have deliveries in this process. */
  get size(): number {
    return this.#lines.size;
  }

  #createLine(group: string): Line {
    return new Line(`turn:${group}`, this.#settings, (line) => {
      this.#lines.delete(group);
      this.#idle.set(group, line);
      const [oldest] = this.#idle.keys();
      if (this.#idle.size > mostIdle && oldest !== undefined) this.#idle.delete(oldest);
    });
  }
}

/** What is forgotten of a contact costs one more question to the store. */
const mostIdle = 1_000;

/** The turn of one delivery. */
export class ContactTurn {
  readonly #line: Line;
  readonly #member: Member;
  /** Set by `begin`. */
  #begun: boolean | Promise<boolean> | undefined;
  #decide = (_hasTurn: boolean) => {};
  #hasTurn = false;
  #isLate = false;
  #hasLeft = false;

  constructor(line: Line, { timestamp, key, holder }: Place) {
    this.#line = line;
    this.#member = {
      // One without a time is the oldest.
      place: { timestamp: Number.isFinite(timestamp) ? timestamp : 0, key, holder },
      start: (isLate) => {
        this.#hasTurn = true;
        this.#isLate = isLate;
        this.#decide(true);
      },
    };
    line.join(this.#member);
  }

  /** Reads the contact's record from the store before it is needed, beside the claim. */
  prefetch(): void {
    this.#line.prefetch();
  }

  /**
   * Waits for the turn. At once if no delivery is before this one, and the store responds at once. Never rejects: while the store fails,
   * it tries again.
   *
   * @returns Whether it has the turn. `false` if it has left instead.
   */
  begin(): boolean | Promise<boolean> {
    this.#begun ??= this.#wait();
    return this.#begun;
  }

  #wait(): boolean | Promise<boolean> {
    if (this.#hasLeft) return false;
    this.#line.wait(this.#member);
    if (this.#hasTurn) return true;
    return new Promise((resolve) => {
      this.#decide = resolve;
    });
  }

  /** Whether a newer delivery of the contact was handled before the turn of this one began. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** What the store last rejected with while the turn has not begun. */
  get failure(): unknown {
    return this.#hasTurn ? undefined : this.#line.failure;
  }

  /**
   * Hands the turn over to the oldest delivery that waits, or gives up waiting. Call it when the claim is committed or released. Done when
   * the store knows; never rejects. The next delivery does not wait for this one's response.
   *
   * @param end - Whether its handlers succeeded.
   */
  leave({ handled }: { readonly handled: boolean }): void | Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const left = this.#line.leave(this.#member, handled && this.#hasTurn);
    this.#decide(this.#hasTurn);
    return left;
  }
}
