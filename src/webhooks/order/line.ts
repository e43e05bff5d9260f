import { after, isLater } from '../../foundation/at-once.js';
import { atMost, type Clock } from '../../foundation/clock.js';
import type { TurnStore } from '../dedupe/dedupe-store.js';
import {
  has,
  isSame,
  type Place,
  readRecord,
  type TurnRecord,
  withHandled,
  withOlderFirst,
  without,
  withTurn,
  withWaiting,
  writeRecord,
} from './turn-record.js';

/** What the lines of a process share. */
export interface LineSettings {
  readonly store: TurnStore;
  readonly clock: Clock;
  /** How long a record lasts after its last change, in milliseconds. */
  readonly ttl: number;
}

/** A delivery in a line. */
export interface Member {
  readonly place: Place;
  /** Tells it that it has the turn, and whether a newer one was handled before. */
  start(isLate: boolean): void;
}

/** A delivery that has left, which the record does not say yet. */
interface Departure {
  readonly place: Place;
  readonly isHandled: boolean;
  /** The look at the record that came too early for it. */
  readonly lastLook: number;
  /** Nobody waits for it, so that it is recorded with the next change. Until then, the others find that its claim has ended. */
  readonly canWait: boolean;
  /** Called when it is recorded, or given up. */
  end: () => void;
}

/** The first and the longest pause between two looks at the record, and the longest wait for the store. In milliseconds. */
const [shortestPause, longestPause, patience] = [50, 500, 5_000];

/** How often one look reads the record again because another process has changed it meanwhile. */
const mostCollisions = 20;

/** How often in a row the store may fail to record a departure. Then the others find that its claim has ended. */
const mostFailures = 5;

/**
 * The deliveries of one contact in this process. At most one of them is in the record, which all processes share: the one that has the
 * turn, or else the oldest. At each change the line does the same: it looks at the record, changes it by compare-and-set, and starts the delivery that has the turn. It repeats that until each of its deliveries has started or left.
 */
export class Line {
  readonly #name: string;
  readonly #settings: LineSettings;
  readonly #onEmpty: (line: Line) => void;
  readonly #members = new Set<Member>();
  /** The members that wait for their turn, oldest first. */
  readonly #waiting: Member[] = [];
  /** The member that has the turn. */
  #running: Member | undefined;
  #departures: Departure[] = [];
  /** The places of this process that the record may have. */
  readonly #entered = new Set<Place>();
  /** The text of the record at the last look. */
  #text: string | undefined;
  /** Whether another process waited then. */
  #isAwaited = false;
  /** The text that the next look begins with, because it was read or written just now. If it is out of date, the compare-and-set fails. */
  #recent: { readonly text: string | undefined | Promise<string | undefined> } | undefined;
  /** The number of looks. One that the store kept for too long does nothing when it continues, because it is not the last. */
  #looks = 0;
  #failures = 0;
  /** What the store last rejected with. `undefined` after it responded. */
  failure: unknown;
  #isRepeating = false;
  /** Something has changed in this process since the last look. */
  #isChanged = false;
  #endPause = () => {};

  constructor(name: string, settings: LineSettings, onEmpty: (line: Line) => void) {
    this.#name = name;
    this.#settings = settings;
    this.#onEmpty = onEmpty;
  }

  /** How many members do not have the turn. */
  get length(): number {
    return this.#members.size - (this.#running === undefined ? 0 : 1);
  }

  join(member: Member): void {
    this.#members.add(member);
  }

  /** Reads the record before it is needed. */
  prefetch(): void {
    if (this.#hasWork || this.#running !== undefined || this.#recent !== undefined) return;
    const text = outcomeOf(() => this.#settings.store.read(this.#name));
    if (!isLater(text)) return;
    text.catch(() => {});
    this.#recent = { text };
  }

  /** Lets a member wait for its turn. */
  wait(member: Member): void {
    const { timestamp } = member.place;
    const newer = this.#waiting.findIndex(({ place }) => place.timestamp > timestamp);
    this.#waiting.splice(newer < 0 ? this.#waiting.length : newer, 0, member);
    this.#act();
  }

  /** Lets a member go, and hands its turn over. Done when the record says so, or at once if nobody waits for it. */
  leave(member: Member, isHandled: boolean): void | Promise<void> {
    const { place } = member;
    this.#members.delete(member);
    const canWait = this.#running === member && this.#waiting.length === 0 && !this.#isAwaited;
    if (this.#running === member) this.#running = undefined;
    if (canWait) this.#recent = undefined;
    const index = this.#waiting.indexOf(member);
    if (index >= 0) this.#waiting.splice(index, 1);
    const departure: Departure = { place, isHandled, lastLook: this.#looks, canWait, end() {} };
    if (this.#entered.has(place)) this.#departures.push(departure);
    this.#act();
    if (canWait || !this.#departures.includes(departure)) return;
    return new Promise((resolve) => {
      departure.end = resolve;
    });
  }

  /** Whether the record does not say yet what it has to, or a member waits for what it will say. */
  get #hasWork(): boolean {
    const isAwaited = this.#running === undefined && this.#waiting.length > 0;
    return isAwaited || this.#departures.some(({ canWait }) => !canWait);
  }

  /** Does what is to be done: at once, if the store responds at once. */
  #act(): void {
    this.#isChanged = true;
    if (this.#isRepeating) {
      this.#endPause();
      return;
    }
    const looking = this.#hasWork ? outcomeOf(() => this.#look()) : undefined;
    if (looking !== undefined || this.#hasWork) this.#repeat(looking);
    else this.#endIfEmpty();
  }

  #endIfEmpty(): void {
    if (this.#members.size === 0) this.#onEmpty(this);
  }

  /** Looks again and again until nothing is to be done, with pauses that grow while the record stays the same. */
  async #repeat(first: void | Promise<void>): Promise<void> {
    this.#isRepeating = true;
    let [looking, pause] = [first, shortestPause];
    for (;;) {
      const text = this.#text;
      await this.#finish(looking);
      if (!this.#hasWork) break;
      if (text !== this.#text) pause = shortestPause;
      if (!this.#isChanged) await this.#pause(pause);
      pause = Math.min(2 * pause, longestPause);
      looking = outcomeOf(() => this.#look());
    }
    this.#isRepeating = false;
    this.#endIfEmpty();
  }

  /** Waits for a look, and keeps its failure. */
  async #finish(looking: void | Promise<void>): Promise<void> {
    try {
      await atMost(this.#settings.clock, patience, Promise.resolve(looking), () => {
        throw new Error(`The dedupe store did not respond within ${patience} ms.`);
      });
    } catch (error) {
      this.failure = error;
      this.#failures += 1;
      if (this.#failures >= mostFailures) this.#giveUpDepartures();
    }
  }

  /** Waits for this time, or until something changes in this process. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#settings.clock.setTimer(resolve, milliseconds);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Takes one look: reads the record, changes it, and starts the member that has the turn. Again, if another process was faster. */
  #look(collisions = 0): void | Promise<void> {
    this.#looks += 1;
    this.#isChanged = false;
    const look = this.#looks;
    const { store, ttl } = this.#settings;
    const recent = this.#recent ?? { text: store.read(this.#name) };
    this.#recent = undefined;
    return after(recent.text, (text) => {
      return after(this.#withLiveTurn(this.#changed(readRecord(text))), (record) => {
        if (look !== this.#looks) return;
        const wanted = writeRecord(record);
        if (wanted === (text ?? emptyRecord)) return this.#see(record, wanted);
        return after(store.replace(this.#name, text, wanted, ttl), (isReplaced) => {
          if (typeof isReplaced !== 'boolean') throw wrongResult('replace', 'true or false');
          if (look !== this.#looks) return;
          if (isReplaced) return this.#see(record, wanted);
          if (collisions === mostCollisions)
            throw new Error(
              'The record of a contact in the dedupe store changes each time before it is written.',
            );
          return this.#look(collisions + 1);
        });
      });
    });
  }

  /** What the record has to say: who left, and who of this process has the turn or waits for it. */
  #changed(found: TurnRecord): TurnRecord {
    const handled = this.#departures.filter(({ isHandled }) => isHandled);
    const told = handled.reduce((record, { place }) => withHandled(record, place.timestamp), found);
    const stays = (this.#running ?? this.#waiting[0])?.place;
    const left = [...this.#entered].filter((place) => place !== stays).reduce(without, told);
    if (stays === undefined || this.#running !== undefined) return withTurn(left);
    this.#entered.add(stays);
    const entered = withTurn(withWaiting(left, stays));
    return isSame(entered.turn, stays) ? withOlderFirst(entered) : entered;
  }

  /** Passes over those whose claim has ended, so that one that is alive has the turn. */
  #withLiveTurn(record: TurnRecord): TurnRecord | Promise<TurnRecord> {
    const { turn } = record;
    const mine = this.#running ?? this.#waiting[0];
    if (turn === undefined || isSame(mine?.place, turn)) return record;
    return after(this.#settings.store.stateOf(turn.key, turn.holder), (state) => {
      if (state === 'held') return record;
      if (state !== 'done' && state !== 'ended') throw wrongResult('stateOf', "'held', 'done' or 'ended'");
      const others = without(record, turn);
      return this.#withLiveTurn(withTurn(state === 'done' ? withHandled(others, turn.timestamp) : others));
    });
  }

  /** Ends the departures that the record shows, and starts the member that has the turn. */
  #see(record: TurnRecord, text: string): void {
    this.failure = undefined;
    this.#failures = 0;
    this.#text = text;
    this.#isAwaited = record.waiting.length > 0;
    for (const place of this.#entered) if (!has(record, place)) this.#entered.delete(place);
    this.#endDepartures(({ lastLook }) => lastLook < this.#looks);
    const [oldest] = this.#waiting;
    if (this.#running !== undefined || oldest === undefined || !isSame(record.turn, oldest.place)) return;
    this.#waiting.shift();
    this.#running = oldest;
    this.#recent = { text };
    oldest.start(record.newest !== undefined && record.newest > oldest.place.timestamp);
  }

  /** Their claims have ended, or will, and then the others pass them over. */
  #giveUpDepartures(): void {
    for (const { place } of this.#departures) this.#entered.delete(place);
    this.#endDepartures(() => true);
  }

  #endDepartures(isOver: (departure: Departure) => boolean): void {
    const ended = this.#departures.filter(isOver);
    this.#departures = this.#departures.filter((departure) => !isOver(departure));
    for (const { end } of ended) end();
  }
}

/** The value itself may be private, and is not quoted. */
function wrongResult(operation: string, allowed: string): TypeError {
  return new TypeError(`The dedupe store's turns.${operation}() must return ${allowed}. Correct the store.`);
}

const emptyRecord = writeRecord(readRecord(undefined));

/** The result of some work. A rejected promise, if it throws. */
function outcomeOf<Value>(work: () => Value | Promise<Value>): Value | Promise<Value> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}
