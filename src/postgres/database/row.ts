import { isObject } from '../../foundation/is-object.js';

/** The value of a column of a row. */
export function columnOf(row: unknown, name: string): unknown {
  return isObject(row) ? row[name] : undefined;
}

export function textOf(row: unknown, name: string): string {
  const value = columnOf(row, name);
  if (typeof value === 'string') return value;
  throw new TypeError(`The database gave no text as ${name}.`);
}

/** `pg` gives numbers of 64 bits as text. */
export function numberOf(row: unknown, name: string): number {
  const value = columnOf(row, name);
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw new TypeError(`The database gave no number as ${name}.`);
}

/** The number, or undefined where the column is null. */
export function optionalNumberOf(row: unknown, name: string): number | undefined {
  return columnOf(row, name) === null ? undefined : numberOf(row, name);
}

export function isTrue(row: unknown, name: string): boolean {
  return columnOf(row, name) === true;
}
