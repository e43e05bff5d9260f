import { secretPrefix } from './secret-prefix.js';

/** Masks API keys, signing secrets and phone numbers in a text. */
export type Redact = (text: string) => string;

/** A key of at least this length does not occur in a text by chance, so it is masked inside longer words too. */
const unmistakableLength = 16;

/** The characters that people and encoders put between the digits of a phone number. */
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
  return (text) => {
    const known = [...phones()].map(lastDigitsOf).filter(({ length }) => length >= 7);
    const pattern = patternFor(
      keys(),
      known.map(({ length }) => length),
    );
    pattern.lastIndex = 0;
    let masked = '';
    let end = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [whole, key, prefix, before = '', digits] = match;
      if (digits !== undefined && !known.some((phone) => withoutSeparators(digits).startsWith(phone))) {
        pattern.lastIndex = match.index + 1; // a known phone may begin at the next digit
        continue;
      }
      const shown = prefix === undefined ? `${before}***${whole.slice(-2)}` : `${prefix}***`;
      masked += text.slice(end, match.index) + (key === undefined ? shown : '***');
      end = pattern.lastIndex;
    }
    return masked + text.slice(end);
  };
}

/** The pattern of the last text. The texts of one client share it, and it takes longer to build than to search a text with it. */
let latest:
  | { readonly keys: readonly string[]; readonly lengths: string; readonly pattern: RegExp }
  | undefined;

/**
 * One pattern for everything, because one of several patterns could split a match of another. It contains only the lengths of the phones, so
 * that most calls use the same pattern: engines compile each new pattern and keep it.
 */
function patternFor(keys: readonly string[], phoneLengths: readonly number[]): RegExp {
  const lengths = phoneLengths.join();
  if (latest?.keys === keys && latest.lengths === lengths) return latest.pattern;
  const source = `(${patternOfKeys(keys)})|${signingSecret}|${statedPhone}|(${patternOfDigits(phoneLengths)})`;
  latest = { keys, lengths, pattern: new RegExp(source, 'gi') };
  return latest.pattern;
}

function patternOfKeys(keys: readonly string[]): string {
  // Longest first, because a shorter key can be the beginning of a longer one.
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

/** As many digits as the known phones have, with anything between them. */
function patternOfDigits(lengths: readonly number[]): string {
  const others = lengths.map((length) => length - 1);
  return lengths.length === 0
    ? nothing
    : String.raw`\d(?:${separator}\d){${Math.min(...others)},${Math.max(...others)}}`;
}

/** Identifies a known phone number, whatever precedes it. */
function lastDigitsOf(phone: string): string {
  return withoutSeparators(phone).slice(-10);
}

function withoutSeparators(digits: string): string {
  return digits.replace(/%2.|\D/g, '');
}
