import { hash } from 'node:crypto';

/** In bytes. With eight, no two contents of a file are likely to have one mark. */
const sizeOfMark = 8;

/** A short mark for the content of each row, by which a later import knows the row, wherever it is in the file. */
export class RowMarks {
  #bytes = Buffer.alloc(1_024 * sizeOfMark);
  #length = 0;

  /** The marks in a text that `toString` made. */
  static from(text: string): RowMarks {
    const marks = new RowMarks();
    marks.#bytes = Buffer.from(text, 'base64');
    marks.#length = Math.floor(marks.#bytes.length / sizeOfMark);
    return marks;
  }

  /** How many rows there are. */
  get length(): number {
    return this.#length;
  }

  /** Adds the mark of the next row. */
  add(content: unknown): void {
    const end = this.#length * sizeOfMark;
    if (end === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(end)]);
    this.#bytes.write(hash('sha256', JSON.stringify(content)), end, sizeOfMark, 'hex');
    this.#length += 1;
  }

  /** The mark of a row, counted from 0. */
  at(place: number): bigint {
    return this.#bytes.readBigUInt64LE(place * sizeOfMark);
  }

  toString(): string {
    return this.#bytes.subarray(0, this.#length * sizeOfMark).toString('base64');
  }
}
