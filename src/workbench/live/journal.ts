import { computed, signal } from '@preact/signals';
import { contactOf } from '../reading/describe-entry.js';
import type { Person } from '../reading/people.js';
import type { EntryJson } from '../surface/entry.js';
import { People } from './people.js';
import { Stories } from './stories.js';

/** The largest number of entries that the page keeps. The server keeps as many. */
const mostEntries = 10_000;

/** The part of the journal that the page has, oldest first. What reads it while it renders renders again with each new entry. */
export class FollowedJournal {
  /** Tells this journal apart from that of an earlier process, whose numbers were the same. */
  name = '';
  /** The number of entries that the server or the page has dropped. */
  readonly gone = signal(0);
  readonly #revision = signal(0);
  #stories = new Stories();
  #people = new People();
  #entries: EntryJson[] = [];
  /** Each delivery that was attempted, by its id, as it was after its last attempt. The oldest comes first. */
  readonly deliveries = computed(() => {
    const attempts = this.entries.filter((entry) => entry.type === 'attempt');
    return new Map(attempts.map(({ delivery }) => [delivery.id, delivery]));
  });
  /** Each journey run, by its id, as it was after its last step. The oldest comes first. */
  readonly runs = computed(() => {
    const steps = this.entries.filter((entry) => entry.type === 'journey');
    return new Map(steps.map(({ run }) => [run.id, run]));
  });

  /** All entries, oldest first. */
  get entries(): readonly EntryJson[] {
    void this.#revision.value;
    return this.#entries;
  }

  get stories(): Stories {
    void this.#revision.value;
    return this.#stories;
  }

  get people(): People {
    void this.#revision.value;
    return this.#people;
  }

  /** The contact that an entry names, or else that its story names. */
  whose(entry: EntryJson): Person | undefined {
    const { stories, people } = this;
    for (const each of [entry, ...stories.of(entry)]) {
      const person = people.of(contactOf(each));
      if (person !== undefined) return person;
    }
    return undefined;
  }

  /** What a link says of an entry. */
  linkTo(number: number): string {
    return `${this.name}-${number}`;
  }

  /** The entry that a link says. A number alone is of this journal. */
  linked(link: string): EntryJson | undefined {
    const linked = Number(link.slice(link.lastIndexOf('-') + 1));
    const isOurs = link === String(linked) || link === this.linkTo(linked);
    return isOurs ? this.#entries.find(({ number }) => number === linked) : undefined;
  }

  add(entry: EntryJson): void {
    const last = this.#entries.at(-1);
    if (last !== undefined && entry.number <= last.number) return;
    this.#entries.push(entry);
    this.#stories.add(entry);
    this.#people.add(entry);
    if (this.#entries.length > mostEntries + mostEntries / 10) {
      const dropped = this.#entries.splice(0, this.#entries.length - mostEntries);
      this.gone.value += dropped.length;
      this.#stories.forget(dropped);
    }
  }

  missed(count: number): void {
    this.gone.value += count;
  }

  /** Removes everything, because the server's journal restarts. */
  clear(): void {
    this.#entries = [];
    this.#stories = new Stories();
    this.#people = new People();
    this.gone.value = 0;
  }

  /** Lets what was added and removed be seen. */
  show(): void {
    this.#revision.value += 1;
  }
}
