import { namesOf } from '../../server/model/entry-names.js';
import { dataIn } from '../reading/describe-entry.js';
import { passageBetween } from '../reading/times.js';
import type { Entry } from '../surface/entry.js';

/** The entries of a story that happened close to each other, in order. It ends where the day changes or an hour passes. */
export type Chapter = readonly Entry[];

/** The stories that the entries of a journal tell: what followed from one request, message or event. */
export class Stories {
  /** By the names of its entries. */
  readonly #stories = new Map<string, Entry[][]>();
  readonly #chapterOf = new Map<Entry, Entry[]>();
  /** The chapters of all stories, in the order in which they began. */
  #chapters: Entry[][] = [];

  chapterOf(entry: Entry): Chapter {
    return this.#chapterOf.get(entry) ?? [];
  }

  /** The story of an entry, in order. */
  of(entry: Entry): readonly Entry[] {
    return this.#known(linksOf(entry))[0]?.flat() ?? [];
  }

  /** The first entry of each chapter, oldest first, and all entries of the one that is open. */
  rows(open: Entry | undefined): readonly Entry[] {
    const opened = open && this.#chapterOf.get(open);
    return this.#chapters.flatMap((chapter) =>
      chapter === opened ? chapter.toReversed() : chapter.slice(0, 1),
    );
  }

  add(entry: Entry): void {
    const links = linksOf(entry);
    const [story = [], ...later] = this.#known(links);
    this.#name(story, links);
    // A fault comes before the attempt that says what the delivery belongs to.
    for (const earlier of later.flat()) {
      this.#chapters = this.#chapters.filter((chapter) => chapter !== earlier);
      for (const each of earlier) {
        this.#name(story, linksOf(each));
        this.#place(story, each);
      }
    }
    this.#place(story, entry);
  }

  #known(names: readonly string[]): readonly Entry[][][] {
    const stories = new Set(names.map((name) => this.#stories.get(name)));
    return [...stories].filter((story) => story !== undefined);
  }

  #name(story: Entry[][], names: readonly string[]): void {
    for (const name of names) this.#stories.set(name, story);
  }

  #place(story: Entry[][], entry: Entry): void {
    let chapter = story.at(-1);
    const last = chapter?.at(-1);
    if (chapter === undefined || last === undefined || passageBetween(last.at, entry.at) !== undefined) {
      chapter = [];
      story.push(chapter);
      this.#chapters.push(chapter);
    }
    // The entry of a request follows what the request did.
    if (entry.type === 'request') chapter.unshift(entry);
    else chapter.push(entry);
    this.#chapterOf.set(entry, chapter);
  }
}

/** The names that link an entry to others, that of its cause first. */
function linksOf(entry: Entry): readonly string[] {
  const { own, cause } = namesOf(entry, entry.type === 'attempt' ? dataIn(entry.delivery) : undefined);
  return cause === undefined ? own : [cause, ...own];
}
