const loneSurrogate = /\p{Surrogate}/u;

/**
 * Whether a string can be encoded as UTF-8. A lone surrogate cannot: an encoder replaces it with U+FFFD, so that two different strings
 * would have the same bytes and the same signature.
 */
export function isWellFormed(text: string): boolean {
  // The native method is newer than the compiler's target, and many times faster than the search.
  const native: unknown = Reflect.get(String.prototype, 'isWellFormed');
  return typeof native === 'function' ? native.call(text) : !loneSurrogate.test(text);
}
