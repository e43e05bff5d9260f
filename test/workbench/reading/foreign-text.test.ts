import { expect, test } from 'vitest';
import { firstCharacter, folded, seen } from '../../../src/workbench/reading/foreign-text.js';

/** What a person sees as one character. */
const whole = {
  'a joined emoji': '👩‍👩‍👧',
  'a joined emoji with tones and a variation': '👩🏽‍❤️‍💋‍👨🏿',
  'a flag': '🇨🇭',
  'a flag of tags': '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'a letter with marks': 'ẛ̣́',
  'a keycap': '1️⃣',
  'a syllable of Devanagari': 'क्‍षि',
  'a pair of surrogates': '𝒜',
};

test.each(Object.entries(whole))('%s is never cut apart', (_, character) => {
  expect(seen(character)).toBe(character);
  expect(firstCharacter(`${character} and more`)).toBe(character);
  const text = `${character.repeat(3)} and more`;
  for (let most = 0; most < text.length; most += 1) {
    const [part = ''] = seen(text, most).split('… ');
    const rest = part.replaceAll(character, '');
    expect(' and more'.startsWith(rest), `${most}: ${part}`).toBe(true);
    expect(part.length).toBeLessThanOrEqual(most);
  }
});

test('what joins shows where it joins, and is a mark everywhere else', () => {
  expect(seen('می\u200cخواهم')).toBe('می\u200cخواهم');
  expect(seen('pay\u200dpal')).toBe('pay[U+200D]pal');
  expect(seen('\u200d👩 👩\u200d')).toBe('[U+200D]👩 👩[U+200D]');
  expect(seen('م\u200d\u200d\u200cم')).toBe('م[U+200D][U+200D][U+200C]م');
  expect(seen('a\u202Eb\u0007')).toBe('a[U+202E]b[U+0007]');
});

test('hundreds of marks on one letter do not hide that a text is long', () => {
  const text = `a${'\u0301'.repeat(5_000)}`;
  expect(seen(text, 400)).toBe(`a${'\u0301'.repeat(399)}… 5,001 characters in all`);
});

test('a text is compared without case, accents and forms', () => {
  for (const text of ['Zoë', 'ZOE', 'Zoe\u0308', 'Ｚｏｅ']) expect(folded(text), text).toBe('zoe');
  expect(folded('')).toBe('');
});
