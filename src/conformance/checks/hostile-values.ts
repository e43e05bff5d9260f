import type { JsonObject } from '../exchange/body.js';

/** Texts that faulty code trims, cuts, normalizes, escapes, or writes in another encoding or another case. */
export const texts = {
  plain: 'Lovelace',
  spaces: '  \tAda  Lovelace \n',
  mark: '\uFEFFbegins with a byte order mark',
  accents: 'Zażółć gęślą jaźń, ÅNGSTRÖM, e\u0301 and é, ﬁ, İstanbul, ß',
  scripts: '你好 שלום العربية देवनागरी',
  symbols: '👩‍👩‍👧 𝔘 \u200B\u200D\u2028',
  markup: `<b>&amp; "quoted" 'single' \\ \\n %20 + \${x} {{1}} --`,
  lines: 'one\r\ntwo\nthree',
  number: '007.10',
  word: 'null',
  date: '2026-01-31T12:00:00+02:00',
  long: `${'0123456789'.repeat(110)}!`,
};

const numbers = [
  3, -7, 0, 1.5, 0.1, 1e-7, 16_777_217, 2_147_483_648, 4_294_967_296, 9_007_199_254_740_991,
  -9_007_199_254_740_991, 1e21,
];

const named = (kind: string, entries: Iterable<readonly [unknown, unknown]>): JsonObject =>
  Object.fromEntries([...entries].map(([name, value]) => [`conformance_${kind}_${name}`, value]));

/** For each type, usual values and values that faulty code drops, cuts, sorts or converts. */
export const values: JsonObject = {
  ...named('text', Object.entries(texts)),
  conformance_text_empty: '',
  ...named('number', numbers.entries()),
  conformance_true: true,
  conformance_false: false,
  conformance_list: ['tea', 'Tea', ' tea', 'chess', 'tea', '', 'Ärger', '10', '9'],
  conformance_list_one: ['one'],
  conformance_list_empty: [],
};

/** A value of the same type for each of them, and other than it, to write in its place. */
export const otherValues: JsonObject = {
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, otherThan(value)])),
  conformance_text_plain: '',
};

function otherThan(value: unknown): unknown {
  if (typeof value === 'string') return `${value} B${value}`;
  if (typeof value === 'number') return value === 0 ? -1 : -value;
  return Array.isArray(value) ? [...value.slice(1), 'tea'] : !value;
}

/** Names that faulty code changes, cuts, or takes for each other. */
export const otherNames: JsonObject = {
  'favourite colour': 'blå',
  名前: 'エイダ',
  'a.b[0]': 'yes',
  conformanceCase: 'kept',
  conformancecase: 'kept, too',
  conformance: 'the beginning of others',
  ' conformance ': 'with spaces',
  '\u00e9': 'one character',
  'e\u0301': 'two characters',
  id: 'a name that contacts have',
  properties: 'another',
  constructor: 'a name that objects have',
  [`conformance_${'long_'.repeat(60)}`]: 'a long name',
  [`conformance_${'long_'.repeat(60)}er`]: 'a longer name',
  '$&/?#%20': 'marks',
};
