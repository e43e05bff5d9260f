import type { Bytes } from '../../foundation/bytes.js';
import { isObject } from '../../foundation/is-object.js';
import { fromText } from './text.js';

/** Reads the columns of the rows that the database gives, and checks what they are. */

/** Text as the database holds it: what `toText` wrote, or what never needs it. */
export function writtenIn(row: unknown, column: string): string {
  const value = valueIn(row, column);
  return typeof value === 'string' ? value : wrong(column, 'text');
}

/** Text that `toText` wrote, as it was. */
export function textIn(row: unknown, column: string): string {
  return fromText(writtenIn(row, column));
}

export function optionalTextIn(row: unknown, column: string): string | undefined {
  return isNullIn(row, column) ? undefined : textIn(row, column);
}

/** A number of any type: the wide ones come as text. */
export function numberIn(row: unknown, column: string): number {
  const value = valueIn(row, column);
  const number = typeof value === 'number' ? value : Number(String(value));
  return value === null || Number.isNaN(number) ? wrong(column, 'a number') : number;
}

export function optionalNumberIn(row: unknown, column: string): number | undefined {
  return isNullIn(row, column) ? undefined : numberIn(row, column);
}

export function booleanIn(row: unknown, column: string): boolean {
  const value = valueIn(row, column);
  return typeof value === 'boolean' ? value : wrong(column, 'a boolean');
}

/** The exact bytes, in a buffer of their own. */
export function bytesIn(row: unknown, column: string): Bytes {
  const value = valueIn(row, column);
  if (!ArrayBuffer.isView(value)) return wrong(column, 'bytes');
  return Uint8Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

/** What was written as JSON, which is a `Written`. The column is read as text. */
export function jsonIn<Written>(row: unknown, column: string): Written {
  const written: Written = JSON.parse(writtenIn(row, column));
  return written;
}

/** One of the texts that the column can hold. */
export function oneOfIn<Text extends string>(row: unknown, column: string, texts: readonly Text[]): Text {
  const value = valueIn(row, column);
  return texts.find((text) => text === value) ?? wrong(column, `one of ${texts.join(', ')}`);
}

export function isNullIn(row: unknown, column: string): boolean {
  return valueIn(row, column) === null;
}

function valueIn(row: unknown, column: string): unknown {
  if (!isObject(row) || !Object.hasOwn(row, column)) return wrong(column, 'there');
  return row[column];
}

function wrong(column: string, wanted: string): never {
  throw new Error(
    `The column "${column}" of a row from PostgreSQL is not ${wanted}. Give a pool of pg with its own type parsers.`,
  );
}
