import { maskPhone } from '../../contract/phone.js';
import { didYouMean } from '../model/did-you-mean.js';

/** One field of a filter, and the item's value for it. */
export interface Criterion<Item> {
  readonly name: string;
  readonly wanted: unknown;
  readonly actual: (item: Item) => unknown;
  /** Compares the actual value with the wanted one. Default: equality. */
  readonly meets?: (item: Item) => boolean;
}

/**
 * Returns the criteria of the fields that the filter sets.
 *
 * @param known The criterion of each known field.
 * @throws TypeError if the filter has an unknown field.
 */
export function asked<Item>(
  filter: object,
  known: Readonly<Record<string, Criterion<Item>>>,
): readonly Criterion<Item>[] {
  refuseUnknown(filter, Object.keys(known));
  return Object.values(known).filter(({ wanted }) => wanted !== undefined);
}

/** @throws TypeError if the filter has an unknown field, because ignoring it would match everything. */
export function refuseUnknown(filter: object, known: readonly string[]): void {
  const unknown = Object.keys(filter).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `This filter has no field ${JSON.stringify(unknown)}${didYouMean(unknown, known)} Its fields are: ${known.join(', ')}.`,
  );
}

/** Describes the criteria, as in `event "message.received" and contact "+155…67"`. */
export function inWords<Item>(criteria: readonly Criterion<Item>[]): string {
  return criteria.map(({ name, wanted }) => `${name} ${shown(wanted)}`).join(' and ');
}

/** Describes why an item does not match. */
export function differencesOf<Item>(criteria: readonly Criterion<Item>[], item: Item): readonly string[] {
  return criteria
    .filter(({ wanted, actual, meets = () => actual(item) === wanted }) => !meets(item))
    .map(({ name, wanted, actual }) => {
      const [there, not] = [shown(actual(item)), shown(wanted)];
      return there === not
        ? `its ${name} differs, but is also shown as ${there}`
        : `its ${name} is ${there}, not ${not}`;
    });
}

/** Formats a value for a message. It masks phone numbers, because a test's log may be public. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(/^\+\d{7,15}$/.test(value) ? maskPhone(value) : value);
  const isPattern = Object.prototype.toString.call(value) === '[object RegExp]';
  return isPattern ? String(value) : (JSON.stringify(value) ?? 'absent');
}
