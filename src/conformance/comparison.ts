import { isObject } from '../foundation/is-object.js';
import { fieldOf } from './exchange/body.js';

/** A value that is not known before the response comes: its description, and whether a value fits. */
export class ExpectedValue {
  readonly description: string;
  readonly fits: (value: unknown) => boolean;

  constructor(description: string, fits: (value: unknown) => boolean) {
    this.description = description;
    this.fits = fits;
  }
}

/** A string that is not empty. */
export const aText = new ExpectedValue('a string', (value) => typeof value === 'string' && value !== '');
export const aBoolean = new ExpectedValue('a boolean', (value) => typeof value === 'boolean');

/**
 * Compares a request with its response, value by value. Returns the paths of the differences, and no values, because they may
 * be private. A response may have more fields. A field whose asked value is `undefined` must be missing.
 */
export function differences(asked: unknown, returned: unknown, path = ''): readonly string[] {
  if (asked instanceof ExpectedValue) {
    if (asked.fits(returned)) return [];
    return [`${path}: ${returned === undefined ? 'missing' : `not ${asked.description}`}`];
  }
  if (isObject(asked) && isObject(returned)) {
    return Object.entries(asked).flatMap(([name, value]) =>
      differences(value, fieldOf(returned, name), path === '' ? name : `${path}.${name}`),
    );
  }
  const isSame =
    Array.isArray(asked) && Array.isArray(returned) && asked.length === returned.length
      ? asked.every((item, index) => differences(item, returned[index]).length === 0)
      : asked === returned;
  if (isSame) return [];
  if (asked === undefined) return [`${path}: not missing`];
  return [
    `${path === '' ? '' : `${path}: `}${returned === undefined ? 'missing' : describeOther(asked, returned)}`,
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}

const describeOther = (asked: unknown, returned: unknown) =>
  typeOf(asked) === typeOf(returned) ? 'another value' : `${typeOf(returned)}, not ${typeOf(asked)}`;
