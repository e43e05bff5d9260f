import type { Bytes } from '../../foundation/bytes.js';
import { isObject } from '../../foundation/is-object.js';
import { fromText } from './text.js';

/** Reads the columns of rows, and checks their types. */

/** A value of a row cannot be read, whatever reads it. Other errors of this file are about the pool. */
export class UnreadableError extends Error {}

/** Reads text as it is in the database. */
export function writtenIn(row: unknown, column: string): string {
  const value = valueIn(row, column);
  return typeof value === 'string' ? value : wrong(column, 'text');
}

/** Reads text that `toText` wrote, and restores it. */
export function textIn(row: unknown, column: string): string {
  return fromText(writtenIn(row, column));
}

export function optionalTextIn(row: unknown, column: string): string | undefined {
  return isNullIn(row, column) ? undefined : textIn(row, column);
}

/** Reads a number of any type. `pg` returns wide numbers as text. */
export function numberIn(row: unknown, column: string): number {
  const value = valueIn(row, column);
  const number = typeof value === 'number' ? value : Number(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new UnreadableError(`The column "${column}" is ${value}.`);
  }
  return value === null || Number.isNaN(number) ? wrong(column, 'a number') : number;
}

export function optionalNumberIn(row: unknown, column: string): number | undefined {
  return isNullIn(row, column) ? undefined : numberIn(row, column);
}

export function booleanIn(row: unknown, column: string): boolean {
  const value = valueIn(row, column);
  return typeof value === 'boolean' ? value : wrong(column, 'a boolean');
}

/** Reads the exact bytes into a separate buffer. */
export function bytesIn(row: unknown, column: string): Bytes {
  const value = valueIn(row, column);
  if (!ArrayBuffer.isView(value)) return wrong(column, 'bytes');
  return Uint8Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

/** Reads JSON, as text, that was written from a `Written`. */
export function jsonIn<Written>(row: unknown, column: string): Written {
  const written: Written = JSON.parse(writtenIn(row, column));
  return written;
}

/** Reads the JSON of an object or a list. */
export function objectIn<Written extends object>(row: unknown, column: string): Written {
  const written = jsonIn<Written>(row, column);
  if (typeof written === 'object' && written !== null) return written;
  throw new UnreadableError(`The column "${column}" has JSON that is no object.`);
}

/** Reads a record that the store wrote as JSON. */
export function recordIn<Written extends { readonly id: string }>(row: unknown): Written {
  const record = objectIn<Written>(row, 'record');
  if (typeof record.id === 'string') return record;
  throw new UnreadableError('The column "record" has JSON without an id.');
}

/** Reads one of the possible texts of a column. */
export function oneOfIn<Text extends string>(row: unknown, column: string, texts: readonly Text[]): Text {
  const value = writtenIn(row, column);
  const found = texts.find((text) => text === value);
  if (found !== undefined) return found;
  throw new UnreadableError(`The column "${column}" has none of ${texts.join(', ')}.`);
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
    `The column "${column}" of a row from PostgreSQL is not ${wanted}. Use a pool of pg with the default type parsers.`,
  );
}
