const loneSurrogate = /\p{Surrogate}/u;

/**
 * Whether a string can be written as UTF-8. A lone half of a surrogate pair cannot: an encoder puts U+FFFD in
 * its place, so that two different strings would have the same bytes, and the same signature.
 */
export function isWellFormed(text: string): boolean {
  // Newer than the language level compiled for, and many times faster than the search.
  const native: unknown = Reflect.get(String.prototype, 'isWellFormed');
  return typeof native === 'function' ? native.call(text) : !loneSurrogate.test(text);
}
