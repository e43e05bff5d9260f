import { type Filter, isEverything, passes } from '../reading/filter.js';
import type { Entry } from '../surface/entry.js';
import type { Journal } from './journal.js';

/** The entries that a filter lets pass. Looks at each entry once per filter, however many come. */
export class Selection {
  readonly #journal: Journal;
  #filter = '';
  #selected: Entry[] = [];
  #seenUpTo = 0;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The entries, oldest first. */
  of(filter: Filter): readonly Entry[] {
    const { entries } = this.#journal;
    if (isEverything(filter)) return entries;
    const oldest = entries[0]?.number ?? Number.POSITIVE_INFINITY;
    const newest = entries.at(-1)?.number ?? 0;
    const asText = JSON.stringify(filter);
    if (asText !== this.#filter || newest < this.#seenUpTo) {
      this.#filter = asText;
      this.#selected = [];
      this.#seenUpTo = 0;
    }
    const unseen = entries.slice(entries.findLastIndex(({ number }) => number <= this.#seenUpTo) + 1);
    const passing = unseen.filter((entry) => passes(filter, entry));
    if (passing.length > 0 || (this.#selected[0]?.number ?? oldest) < oldest) {
      this.#selected = [...this.#selected.filter(({ number }) => number >= oldest), ...passing];
    }
    this.#seenUpTo = newest;
    return this.#selected;
  }
}
