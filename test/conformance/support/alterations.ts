/** What faulty code makes of a value. */
export type Change = (value: unknown) => unknown;

/** Changes of a value, by what each makes of it: for each type, each way to lose or change a part of it. */
export type Alterations = Readonly<Record<string, Change>>;

type Named<Value> = Readonly<Record<string, (value: Value) => unknown>>;

const texts: Named<string> = {
  'in upper case': (text) => text.toUpperCase(),
  'in lower case': (text) => text.toLowerCase(),
  trimmed: (text) => text.trim(),
  'trimmed at its end': (text) => text.trimEnd(),
  'with single spaces': (text) => text.replace(/ +/g, ' '),
  'cut after 255 characters': (text) => text.slice(0, 255),
  'cut after 1,000 characters': (text) => text.slice(0, 1_000),
  'without its last character': (text) => text.slice(0, -1),
  composed: (text) => text.normalize('NFC'),
  decomposed: (text) => text.normalize('NFD'),
  'in compatible characters': (text) => text.normalize('NFKC'),
  'without accents': (text) => text.normalize('NFD').replace(/\p{M}/gu, ''),
  'in ASCII': (text) => text.replace(/[^\0-\x7f]/g, '?'),
  'as UTF-8 read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  'as Latin-1': (text) => Buffer.from(text, 'latin1').toString('latin1'),
  'without characters of two units': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
  'without invisible characters': (text) => text.replace(/\u200b|\u200d|\u2028/g, ''),
  'without its byte order mark': (text) => text.replace(/^\ufeff/, ''),
  'with a byte order mark': (text) => `\ufeff${text}`,
  'escaped for HTML': (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;'),
  'without markup': (text) => text.replace(/<[^>]*>/g, ''),
  'with escaped quotes': (text) => text.replace(/'/g, "''"),
  'without backslashes': (text) => text.replace(/\\/g, ''),
  'decoded as a part of a URL': (text) => text.replace(/%20|\+/g, ' '),
  'with Unix line ends': (text) => text.replace(/\r\n/g, '\n'),
  'with Windows line ends': (text) => text.replace(/\r?\n/g, '\r\n'),
  'a number where it looks like one': (text) => (/^[\d.]+$/.test(text) ? Number(text) : text),
  'in one line': (text) => text.replace(/\s*\n\s*/g, ' '),
  'null where it says so': (text) => (text === 'null' ? null : text),
  'a date where it looks like one': (text) =>
    /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text).toISOString() : text,
  'null where it is empty': (text) => (text === '' ? null : text),
  'missing where it is empty': (text) => (text === '' ? undefined : text),
  'in quotes': (text) => JSON.stringify(text),
};

const numbers: Named<number> = {
  'as a text': String,
  'without its fraction': Math.trunc,
  rounded: Math.round,
  'with two decimals': (number) => Number(number.toFixed(2)),
  'without its sign': Math.abs,
  'in 32 bits': (number) => (Number.isInteger(number) ? number | 0 : number),
  'at most 32 bits': (number) => Math.min(number, 2 ** 31 - 1),
  'at least 32 bits': (number) => Math.max(number, -(2 ** 31)),
  'at most 53 bits': (number) => Math.min(number, 2 ** 53 - 1),
  'with single precision': Math.fround,
  'with 15 digits': (number) => Number(number.toPrecision(15)),
  'off by one': (number) => number + 1,
  'missing where it is 0': (number) => (number === 0 ? undefined : number),
  'a boolean where it is 0': (number) => (number === 0 ? false : number),
};

const booleans: Named<boolean> = {
  negated: (is) => !is,
  'as a text': String,
  'as a number': Number,
  'missing where it is false': (is) => is || undefined,
  'always true': () => true,
};

const lists: Named<readonly unknown[]> = {
  sorted: (list) => [...list].sort(),
  reversed: (list) => [...list].reverse(),
  'each once': (list) => [...new Set(list)],
  'each once, whatever its case': (list) =>
    list.filter(
      (one, index) =>
        list.findIndex((two) => String(two).toLowerCase() === String(one).toLowerCase()) === index,
    ),
  trimmed: (list) => list.map((text) => String(text).trim()),
  'in lower case': (list) => list.map((text) => String(text).toLowerCase()),
  'numbers where they look like one': (list) =>
    list.map((text) => (/^\d+$/.test(String(text)) ? Number(text) : text)),
  'without the empty text': (list) => list.filter((text) => text !== ''),
  'without its last': (list) => list.slice(0, -1),
  'with one more': (list) => [...list, 'more'],
  'a text where it has one': (list) => (list.length === 1 ? list[0] : list),
  'missing where it is empty': (list) => (list.length === 0 ? undefined : list),
  'null where it is empty': (list) => (list.length === 0 ? null : list),
};

const times: Named<number> = {
  'an hour ahead': (time) => time + 3_600_000,
  'a quarter of an hour behind': (time) => time - 900_000,
  'a year behind': (time) => time - 31_536_000_000,
  'of 1970': (time) => Math.floor(time / 1_000),
  'far ahead': (time) => time * 1_000,
};

const alterations = <Value>(
  kind: string,
  named: Named<Value>,
  isOne: (value: unknown) => value is Value,
): Alterations =>
  Object.fromEntries(
    Object.entries(named).map(([how, change]) => [
      `${kind} ${how}`,
      (value) => (isOne(value) ? change(value) : value),
    ]),
  );

export const textAlterations = (kind: string, named: Named<string>) =>
  alterations(kind, named, (value) => typeof value === 'string');
export const ofTexts = textAlterations('a text', texts);
export const ofTimes = alterations('a time', times, (value) => typeof value === 'number');
export const ofValues: Alterations = {
  ...ofTexts,
  ...alterations('a number', numbers, (value) => typeof value === 'number'),
  ...alterations('a boolean', booleans, (value) => typeof value === 'boolean'),
  ...alterations('a list', lists, (value) => Array.isArray(value)),
};
