import { secretPrefix } from '../../contract/secret-prefix.js';

/** The most characters of the headers that the journal keeps of a request, and of its response. */
const room = 2_048;

/** Matches the name of a header whose value may let its reader in. */
const confidential = /auth|cookie|credential|key|password|secret|session|signature|token/i;

/** Names that only look confidential. */
const harmless: readonly string[] = ['idempotency-key'];

/** Matches a signing secret. */
const secretOf = new RegExp(`(${secretPrefix})[\\w+/=-]+`, 'g');

/**
 * Returns the headers for the journal, as far as there is room. The values that may let a reader in are masked, and so is the key wherever it
 * stands.
 */
export function keptHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
  key: string,
): readonly (readonly [name: string, value: string])[] {
  const kept: [name: string, value: string][] = [];
  let left = room;
  for (const [name, value] of headers) {
    left -= name.length + value.length;
    if (left < 0) break;
    kept.push([name, maskedValue(name, value, key)]);
  }
  return kept;
}

function maskedValue(name: string, value: string, key: string): string {
  if (confidential.test(name) && !harmless.includes(name.toLowerCase())) return '***';
  const withoutKey = key === '' ? value : value.replaceAll(key, '***');
  return withoutKey.replaceAll(secretOf, '$1***');
}
