import type { JournalEntry } from '../../model/journal-entry.js';

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
