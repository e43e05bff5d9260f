import { secretPrefix } from './secret-prefix.js';

/** Masks API keys, signing secrets and phone numbers in a text. */
export type Redact = (text: string) => string;

/** A key of at least this length does not occur in a text by chance, so it is masked inside longer words too. */
const unmistakableLength = 16;

/** What people and encoders put between the digits of a phone number. */
const separator = String.raw`(?:[\s()./+\u2010-\u2015-]|%2[089de]){0,3}`;
const plus = String.raw`(?:\+|%(?:25)*2b|\\u002b|&#(?:43|x2b);)`;
const label = String.raw`(?:phone(?:[\s_-]?number)?(?:\W|%\w\w){0,6}|tel:|wa\.me/)`;
const digits = String.raw`\d(?:\d{9,}|(?:${separator}\d){6,14}\d*)`;
/**
 * A number with a plus, plain or encoded, or with a word before it that marks it as a phone number. Other digits may be an
 * id, a date, a time or an address, and are not masked.
 */
const statedPhone = `(${plus}${separator}(?=[1-9])|(?<=${label}))${digits}`;
const nothing = '(?!)';
const signingSecret = String.raw`(${secretPrefix})[^\s"'<>]+`;

/**
 * Returns a function that masks in a text:
 *
 * - these keys, plain, URL-encoded or escaped in JSON. A key of fewer than 16 characters is masked only as a whole
 *   token: the key `k` does not mask the letter k of a word;
 * - everything that begins with `whsec_`;
 * - phone numbers with a `+`, and the numbers of `phones` in any notation.
 *
 * It does not mask ids, dates, times and addresses.
 */
export function createRedactor(
  keys: () => readonly string[],
  phones: () => Iterable<string> = () => [],
): Redact {
  // One pattern for everything: with several, one could cut a match of another in two.
  return (text) => {
    const patterns = [
      `(${patternOfKeys(keys())})`,
      signingSecret,
      statedPhone,
      ...[...phones()].flatMap(patternOfPhone),
    ];
    return text.replace(
      new RegExp(patterns.join('|'), 'gi'),
      (match: string, key?: string, prefix?: string, before = '') => {
        if (key !== undefined) return '***';
        return prefix === undefined ? `${before}***${match.slice(-2)}` : `${prefix}***`;
      },
    );
  };
}

function patternOfKeys(keys: readonly string[]): string {
  // Longest first: a shorter key can be the beginning of a longer one.
  const byLength = keys.filter(Boolean).toSorted((one, other) => other.length - one.length);
  return byLength.map(patternOfKey).join('|') || nothing;
}

function patternOfKey(key: string): string {
  const writings = [encodeURIComponent(key), JSON.stringify(key).slice(1, -1), key];
  const anyWriting = writings.map((writing) => writing.replace(/\W/g, String.raw`\$&`)).join('|');
  return key.length < unmistakableLength
    ? String.raw`(?<=^|[^\w-]|%[\da-f]{2}|\\[nrt]|\\u[\da-f]{4})(?:${anyWriting})(?![\w-])`
    : anyWriting;
}

/** Finds a known phone number by its last ten digits, with anything before and between them. */
function patternOfPhone(phone: string): readonly string[] {
  const known = phone.replace(/\D/g, '').slice(-10);
  return known.length < 7 ? [] : [[...known].join(separator)];
}
