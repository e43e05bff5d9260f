import { isObject } from '../../foundation/is-object.js';

/**
 * A copy of what the user's own code threw, without what it must not show: that code sees URLs, bodies or keys.
 *
 * @param redact Takes keys, secrets and phone numbers out of a text.
 */
export function cleanCopy(thrown: unknown, redact: (text: string) => string): Error {
  if (!isObject(thrown) || typeof thrown.message !== 'string')
    return new Error('It threw something that is no error.');
  const copy = new Error(redact(thrown.message));
  if (typeof thrown.name === 'string') copy.name = redact(thrown.name);
  if (typeof thrown.stack === 'string') copy.stack = redact(thrown.stack);
  return copy;
}
