import { namesOf } from '../../server/model/entry-names.js';
import { dataIn } from '../reading/describe-entry.js';
import type { EntryJson } from '../surface/entry.js';

/** What followed from one request, message or event, in order: a run across its waits, a delivery with its retries. */
export type StoryEntries = readonly EntryJson[];

/** The stories that the entries of a journal tell. A story stays the same object while it goes on. */
export class Stories {
  /** By the names of its entries. */
  readonly #named = new Map<string, EntryJson[]>();
  readonly #storyOf = new Map<EntryJson, EntryJson[]>();
  #rows: EntryJson[][] = [];

  /** All stories. The one in which something happened last comes last. */
  get rows(): readonly StoryEntries[] {
    return this.#rows;
  }

  /** The story of an entry, in order. */
  of(entry: EntryJson): StoryEntries {
    return this.#storyOf.get(entry) ?? [entry];
  }

  add(entry: EntryJson): void {
    // The times of what followed say that the clock was moved.
    if (entry.type === 'change' && entry.operation.startsWith('clock.')) return;
    const [known, ...others] = this.#known(linksOf(entry));
    const story = known ?? [];
    // A fault comes before the attempt that says what the delivery belongs to.
    for (const other of others) {
      for (const earlier of other.splice(0)) this.#place(story, earlier);
      this.#removeRow(other);
    }
    this.#place(story, entry);
    if (known !== undefined) this.#removeRow(known);
    this.#rows.push(story);
  }

  /** Removes the oldest entries. The part of their stories that remains goes on. */
  forget(entries: readonly EntryJson[]): void {
    for (const entry of entries) {
      const story = this.#storyOf.get(entry);
      story?.splice(story.indexOf(entry), 1);
      this.#storyOf.delete(entry);
    }
    this.#rows = this.#rows.filter(({ length }) => length > 0);
    for (const [name, { length }] of this.#named) if (length === 0) this.#named.delete(name);
  }

  #known(names: readonly string[]): readonly EntryJson[][] {
    const stories = new Set(names.flatMap((name) => [this.#named.get(name)]));
    return [...stories].filter((story) => story !== undefined);
  }

  #place(story: EntryJson[], entry: EntryJson): void {
    for (const name of linksOf(entry)) this.#named.set(name, story);
    this.#storyOf.set(entry, story);
    // The entry of a request follows what the request did.
    if (entry.type === 'request') story.unshift(entry);
    else story.splice(story.findLastIndex((each) => isBefore(each, entry)) + 1, 0, entry);
  }

  #removeRow(story: EntryJson[]): void {
    const row = this.#rows.lastIndexOf(story);
    if (row >= 0) this.#rows.splice(row, 1);
  }
}

function isBefore(one: EntryJson, other: EntryJson): boolean {
  return one.type === 'request' || one.number < other.number;
}

/** The names that link an entry to others, that of its cause first. */
function linksOf(entry: EntryJson): readonly string[] {
  const { own, cause } = namesOf(entry, entry.type === 'attempt' ? dataIn(entry.delivery) : undefined);
  return cause === undefined ? own : [cause, ...own];
}
