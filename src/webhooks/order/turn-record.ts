import { isObject } from '../../foundation/is-object.js';

/** A delivery in the record of its contact. */
export interface Place {
  /** When its event happened, in milliseconds since the Unix epoch, by the service's clock. */
  readonly timestamp: number;
  /** Its key, and the holder of its claim, by which another process learns whether it is alive. */
  readonly key: string;
  readonly holder: string;
}

/** What all processes know of the deliveries of a contact. No time in it is of a machine's clock. */
export interface TurnRecord {
  /** The delivery that has the turn. */
  readonly turn?: Place | undefined;
  /** Those that wait, oldest first: one of each process. */
  readonly waiting: readonly Place[];
  /** The timestamp of the newest delivery that was handled. */
  readonly newest?: number | undefined;
}

/** How many wait at most, each of them of another process. Further ones enter when there is room. */
const mostWaiting = 100;

/** No record is longer, because its keys and holders are not. In characters. */
const [longestRecord, longestName] = [100_000, 200];

/** Reads a record. One that is absent, damaged or no text is empty. */
export function readRecord(text: unknown): TurnRecord {
  const value = typeof text === 'string' && text.length <= longestRecord ? parse(text) : undefined;
  if (!isObject(value)) return { waiting: [] };
  const { turn, waiting, newest } = value;
  return {
    turn: readPlace(turn),
    waiting: Array.isArray(waiting)
      ? waiting.slice(0, mostWaiting).flatMap((each) => readPlace(each) ?? [])
      : [],
    newest: typeof newest === 'number' ? newest : undefined,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readPlace(value: unknown): Place | undefined {
  const { timestamp, key, holder } = isObject(value) ? value : {};
  return typeof timestamp === 'number' && isName(key) && isName(holder)
    ? { timestamp, key, holder }
    : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestName;
}

/** The same record has the same text. */
export function writeRecord({ turn, waiting, newest }: TurnRecord): string {
  return JSON.stringify({ turn, waiting, newest });
}

export function isSame(place: Place | undefined, other: Place): boolean {
  return place?.holder === other.holder && place.key === other.key;
}

export function has({ turn, waiting }: TurnRecord, place: Place): boolean {
  return [turn, ...waiting].some((each) => isSame(each, place));
}

/** The record without a delivery, which has left, or whose place an older one of its process takes. */
export function without(record: TurnRecord, place: Place): TurnRecord {
  const { turn, waiting } = record;
  return {
    ...record,
    turn: isSame(turn, place) ? undefined : turn,
    waiting: waiting.filter((each) => !isSame(each, place)),
  };
}

/** The record that says that a delivery with this timestamp was handled. */
export function withHandled(record: TurnRecord, timestamp: number): TurnRecord {
  return { ...record, newest: Math.max(timestamp, record.newest ?? timestamp) };
}

/** The record with a delivery that waits behind all that are as old. Unchanged if it is there, or if there is no room. */
export function withWaiting(record: TurnRecord, place: Place): TurnRecord {
  const { waiting } = record;
  if (has(record, place) || waiting.length >= mostWaiting) return record;
  const later = waiting.findIndex(({ timestamp }) => timestamp > place.timestamp);
  return { ...record, waiting: waiting.toSpliced(later < 0 ? waiting.length : later, 0, place) };
}

/** The record in which the oldest of those that wait has the turn, if none has it. */
export function withTurn(record: TurnRecord): TurnRecord {
  const [oldest, ...waiting] = record.waiting;
  return record.turn === undefined && oldest !== undefined ? { ...record, turn: oldest, waiting } : record;
}

/** The record in which the turn goes to one that is older than the one that has it, and has not begun. */
export function withOlderFirst(record: TurnRecord): TurnRecord {
  const { turn, waiting } = record;
  const [oldest, ...others] = waiting;
  if (turn === undefined || oldest === undefined || turn.timestamp <= oldest.timestamp) return record;
  return withWaiting({ ...record, turn: oldest, waiting: others }, turn);
}
