import { maskPhone } from '../../../contract/phone.js';
import { isObject } from '../../../foundation/is-object.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { currentMatches, shown, type WaitOptions, waitFor } from '../wait.js';
import type { Expected, Happening, Kind } from './kinds.js';
import { explainMisses } from './misses.js';

/** What tests expect of the contacts of a workspace. Each message or event is taken once. */
export class Expectations<Value> {
  readonly #live: LiveWorkspace;
  readonly #kind: Kind<Value>;
  /** The ids of what earlier calls have resolved with. */
  readonly #taken = new Set<string>();

  constructor(live: LiveWorkspace, kind: Kind<Value>) {
    this.#live = live;
    this.#kind = kind;
  }

  /**
   * Waits for the first that is as expected and that no call has taken, past or future, and takes it.
   *
   * @throws WaitTimeoutError that says what happened instead.
   */
  next(expected: Expected, options: Pick<WaitOptions, 'timeout' | 'signal'>): Promise<Happening<Value>> {
    const { noun, preposition, select } = this.#kind;
    const differences = (happening: Happening) => this.#differences(expected, happening);
    return waitFor(
      this.#live,
      {
        subject: `${noun} ${shown(expected.title)} ${preposition} ${maskPhone(expected.phone)}`,
        select,
        differences: (happening) =>
          isOf(expected, happening) ? differences(happening) : ['of another contact or name'],
        describe: ({ name }) => name,
        take: ({ id }) => void this.#taken.add(id),
        explain: (limit) => explainMisses(this.#live, this.#kind, expected, limit, differences),
      },
      options,
    );
  }

  /** Returns what no call has taken of a contact, oldest first. */
  untaken(phone: string): Promise<readonly Happening<Value>[]> {
    const { noun, select } = this.#kind;
    return currentMatches(this.#live, {
      subject: noun,
      select,
      differences: (happening) => [
        ...(happening.phone === phone ? [] : ['of another contact']),
        ...this.#taking(happening),
      ],
      describe: ({ name }) => name,
    });
  }

  /** Describes how the values and the text differ, and whether an earlier call took it. */
  #differences({ values, text }: Expected, happening: Happening): readonly string[] {
    const { value: noun } = this.#kind;
    const { text: foundText = '' } = happening;
    const ofValues = values
      .map((wanted) => ({ ...wanted, found: ownValue(happening, wanted.key) }))
      .filter(({ found, value }) => !isSame(found, value))
      .map(({ label, found, value }) => `its ${noun} ${label} is ${shown(found)}, not ${shown(value)}`);
    const ofText =
      text === undefined || fits(foundText, text)
        ? []
        : [`its text is ${shown(foundText)}, not ${shown(text)}`];
    return [...ofValues, ...ofText, ...this.#taking(happening)];
  }

  #taking({ id }: Happening): readonly string[] {
    return this.#taken.has(id) ? [`an earlier ${this.#kind.method} took it`] : [];
  }
}

function ownValue({ values }: Happening, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** Whether it has the contact and the name that a test expects. */
function isOf({ phone, name }: Expected, happening: Happening): boolean {
  return happening.phone === phone && happening.name === name;
}

function fits(found: string, text: string | RegExp): boolean {
  // A search ignores where the last match of a pattern with the flag `g` ended.
  return typeof text === 'string' ? found === text : found.search(text) !== -1;
}

/** Compares two values as JSON, whatever the order of their fields. */
function isSame(one: unknown, other: unknown): boolean {
  return inOrder(one) === inOrder(other);
}

function inOrder(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  );
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
