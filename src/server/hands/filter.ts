import { maskPhone } from '../../contract/phone.js';
import { didYouMean } from '../model/did-you-mean.js';

/** One thing that a filter asks of an item. */
export interface Criterion<Item> {
  readonly name: string;
  readonly wanted: unknown;
  readonly actual: (item: Item) => unknown;
  /** Whether what is there is what is wanted; the same value unless told. */
  readonly meets?: (item: Item) => boolean;
}

/**
 * The criteria that a filter names: those whose wanted value is given.
 *
 * @param known The criterion of each field that a filter may have.
 * @throws TypeError for a filter with any other field: it would match everything.
 */
export function asked<Item>(
  filter: object,
  known: Readonly<Record<string, Criterion<Item>>>,
): readonly Criterion<Item>[] {
  const unknown = Object.keys(filter).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `This filter has no field ${JSON.stringify(unknown)}${didYouMean(unknown, Object.keys(known))} It can have: ${Object.keys(known).join(', ')}.`,
    );
  }
  return Object.values(known).filter(({ wanted }) => wanted !== undefined);
}

/** The criteria in words, as in `event "message.received" and contact "+155…67"`. */
export function inWords<Item>(criteria: readonly Criterion<Item>[]): string {
  return criteria.map(({ name, wanted }) => `${name} ${shown(wanted)}`).join(' and ');
}

/** What keeps an item from meeting the criteria, in words. */
export function differencesOf<Item>(criteria: readonly Criterion<Item>[], item: Item): readonly string[] {
  return criteria
    .filter(({ wanted, actual, meets = () => actual(item) === wanted }) => !meets(item))
    .map(({ name, wanted, actual }) => {
      const [there, not] = [shown(actual(item)), shown(wanted)];
      return there === not
        ? `its ${name} is another one that is shown as ${there}`
        : `its ${name} is ${there}, not ${not}`;
    });
}

/** A value in a message: a test's log may be public, so a phone number is masked there too. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(/^\+\d{7,15}$/.test(value) ? maskPhone(value) : value);
  const isPattern = Object.prototype.toString.call(value) === '[object RegExp]';
  return isPattern ? String(value) : (JSON.stringify(value) ?? 'absent');
}
