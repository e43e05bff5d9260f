import { isObject } from '../../foundation/is-object.js';

/**
 * Copies an error that the user's own code threw, and redacts secrets in its name, message and stack, because that code
 * sees URLs, bodies and keys.
 *
 * @param redact Removes keys, secrets and phone numbers from a text.
 */
export function cleanCopy(thrown: unknown, redact: (text: string) => string): Error {
  if (!isObject(thrown) || typeof thrown.message !== 'string')
    return new Error('It threw a value that is not an error.');
  const copy = new Error(redact(thrown.message));
  if (typeof thrown.name === 'string') copy.name = redact(thrown.name);
  if (typeof thrown.stack === 'string') copy.stack = redact(thrown.stack);
  return copy;
}
