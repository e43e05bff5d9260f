import { type Page, type PageRange, pageOf } from '../../model/page.js';

export interface NumberedRecordsOptions {
  /** Returns a number that is greater than all before. */
  readonly newNumber: () => number;
  /** Called at each change. */
  readonly changed: () => void;
}

/** Records of one kind in memory by id, in the order of their numbers. A record has its number from its creation. */
export class NumberedRecords<Kept extends { readonly id: string }> {
  readonly #kept = new Map<string, readonly [number: number, record: Kept]>();
  readonly #options: NumberedRecordsOptions;
  readonly #sizeOf: (record: Kept) => number;

  /** @param sizeOf - Returns the size of a record, in bytes. */
  constructor(options: NumberedRecordsOptions, sizeOf: (record: Kept) => number) {
    this.#options = options;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(id: string): Kept | undefined {
    return this.#kept.get(id)?.[1];
  }

  /** Adds the record at the end, or replaces the one with its id. */
  set(record: Kept): void {
    const { newNumber, changed } = this.#options;
    const [number = newNumber()] = this.#kept.get(record.id) ?? [];
    this.#kept.set(record.id, [number, record]);
    changed();
  }

  delete(id: string): boolean {
    const wasThere = this.#kept.delete(id);
    if (wasThere) this.#options.changed();
    return wasThere;
  }

  ids(): Iterable<string> {
    return this.#kept.keys();
  }

  all(): readonly Kept[] {
    return Array.from(this.#kept.values(), ([, record]) => record);
  }

  /** Returns a page of the records for which `isWanted` returns true. */
  page(isWanted: (record: Kept) => boolean, range: PageRange): Page<Kept> {
    return pageOf(this.#wanted(isWanted), range, this.#sizeOf);
  }

  *#wanted(isWanted: (record: Kept) => boolean) {
    for (const numbered of this.#kept.values()) if (isWanted(numbered[1])) yield numbered;
  }
}

/** Whether a record has these values. */
export function hasFields(record: object, fields: object): boolean {
  return Object.entries(fields).every(
    ([name, value]) => value === undefined || Reflect.get(record, name) === value,
  );
}
