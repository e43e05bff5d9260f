import type { Item } from './input-and-outcomes.js';

/** How many items may wait for an earlier one of their contact, for each item that may run. */
const waitingForEach = 16;

/** Whose an item is: a text that names the contact, or a symbol of its own for an item that names none. */
export type ContactKey = string | symbol;

/** Items of one contact that the next run carries out: the first of them, and the latest. */
interface OpenItems {
  readonly first: number;
  readonly latest: number;
}

/**
 * Keeps the items of each contact in their order. One of them is under way, and those read after it wait in a line. If one stays
 * open for the next run, the later ones stay open too: the next run would otherwise carry out the older item last.
 */
export class ContactOrder<Input> {
  readonly #mostWaiting: number;
  readonly #isOpen: (index: number) => boolean;
  /** How many items wait in the lines. */
  #waiting = 0;
  /** The line of each contact that has an item under way. */
  readonly #lines = new Map<ContactKey, Item<Input>[]>();
  readonly #openItems = new Map<ContactKey, OpenItems>();

  /**
   * @param concurrency How many items may run.
   * @param isOpen Whether an item that has ended is one that the next run carries out.
   */
  constructor(concurrency: number, isOpen: (index: number) => boolean) {
    this.#mostWaiting = waitingForEach * concurrency;
    this.#isOpen = isOpen;
  }

  /** Whether no further item may wait. */
  get isFull(): boolean {
    return this.#waiting >= this.#mostWaiting;
  }

  /** Puts an item behind the earlier ones of its contact. Returns whether there is none, so that it may begin. */
  join(contact: ContactKey, item: Item<Input>): boolean {
    const line = this.#lines.get(contact);
    if (line === undefined) {
      this.#lines.set(contact, []);
      return true;
    }
    line.push(item);
    this.#waiting += 1;
    return false;
  }

  /** Call it when an item has ended. Returns the next one of its contact; `undefined` if none waits. */
  next(contact: ContactKey): Item<Input> | undefined {
    const item = this.#lines.get(contact)?.shift();
    if (item === undefined) this.#lines.delete(contact);
    else this.#waiting -= 1;
    return item;
  }

  /** Call it when an item ends and stays open for the next run. */
  leaveOpen(contact: ContactKey, index: number): void {
    const { first = index } = this.#openItems.get(contact) ?? {};
    this.#openItems.set(contact, { first, latest: index });
  }

  /** The earlier item of a contact for which the later ones stay open. A success elsewhere may have closed it meanwhile. */
  openItem(contact: ContactKey): number | undefined {
    const items = this.#openItems.get(contact);
    if (items === undefined) return undefined;
    return [items.first, items.latest].find(this.#isOpen);
  }
}
