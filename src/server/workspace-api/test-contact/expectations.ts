import { maskPhone } from '../../../contract/phone.js';
import { isObject } from '../../../foundation/is-object.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { currentMatches, shown, type WaitOptions, waitFor } from '../wait.js';
import { explainMisses } from './misses.js';

/** A message to a contact, or an event of a contact, as the journal has it. */
export interface Happening<Value = unknown> {
  readonly id: string;
  readonly phone: string;
  /** The template's id, or the event's name. */
  readonly name: string;
  /** The variables, or the properties. */
  readonly values: Readonly<Record<string, Value>>;
  /** The text of a message. */
  readonly text?: string;
  readonly at: number;
}

/** What tests can expect of contacts: messages or events. */
export interface Kind<Value = unknown> {
  /** Returns what happened according to a journal entry. Undefined if the entry is of another kind. */
  readonly select: (entry: JournalEntry) => Happening<Value> | undefined;
  /** The operation that causes it, and the field of its request that has the name. */
  readonly operation: string;
  readonly nameField: string;
  /** The words for it in an error, such as `message` and `to`. */
  readonly noun: string;
  readonly preposition: string;
  /** The word for one of its values. */
  readonly value: string;
  /** The method that takes it. */
  readonly method: string;
}

/** The template messages that contacts receive. */
export const messages: Kind<string> = {
  select(entry) {
    if (entry.type !== 'send') return undefined;
    const { id, phone, templateId: name, variables: values, text, sentAt: at } = entry.send;
    return { id, phone, name, values, text, at };
  },
  operation: 'transactional.send',
  nameField: 'templateId',
  noun: 'message',
  preposition: 'to',
  value: 'variable',
  method: 'receives()',
};

/** The events that programs track for contacts. */
export const events: Kind = {
  select(entry) {
    if (entry.type !== 'event') return undefined;
    const { phone, event } = entry;
    return { id: event.id, phone, name: event.event, values: event.properties, at: event.acceptedAt };
  },
  operation: 'events.track',
  nameField: 'event',
  noun: 'tracked event',
  preposition: 'of',
  value: 'property',
  method: 'did()',
};

/** What a test expects of a contact. */
export interface Expected {
  readonly phone: string;
  /** The name in the test, which the definitions of the workspace may have given. */
  readonly title: string;
  /** The name in the journal. */
  readonly name: string;
  /** Values that it must have. `label` is the name in the test, `key` the one in the journal. */
  readonly values: readonly { readonly label: string; readonly key: string; readonly value: unknown }[];
  readonly text?: string | RegExp | undefined;
}

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

  /** Returns everything of a contact, oldest first. */
  async all(phone: string): Promise<readonly Happening<Value>[]> {
    const { noun, select } = this.#kind;
    const happenings = await currentMatches(this.#live, {
      subject: noun,
      select,
      differences: () => [],
      describe: ({ name }) => name,
    });
    return happenings.filter((happening) => happening.phone === phone);
  }

  /** Returns what no call has taken of a contact, oldest first. */
  async untaken(phone: string): Promise<readonly Happening<Value>[]> {
    return (await this.all(phone)).filter(({ id }) => !this.#taken.has(id));
  }

  /** Describes how the values and the text differ, and whether an earlier call took it. */
  #differences({ values, text }: Expected, { id, values: found, text: foundText = '' }: Happening) {
    const { value: noun, method } = this.#kind;
    const ofValues = values
      .filter(({ key, value }) => !isSame(found[key], value))
      .map(({ label, key, value }) => `its ${noun} ${label} is ${shown(found[key])}, not ${shown(value)}`);
    const ofText =
      text === undefined || fits(foundText, text)
        ? []
        : [`its text is ${shown(foundText)}, not ${shown(text)}`];
    const ofCalls = this.#taken.has(id) ? [`an earlier ${method} took it`] : [];
    return [...ofValues, ...ofText, ...ofCalls];
  }
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
