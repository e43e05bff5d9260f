import { expect, test } from 'vitest';
import { jsonPieces } from '../../../src/workbench/reading/json-text.js';

const written = (json: string) =>
  jsonPieces(json)
    ?.map(({ text }) => text)
    .join('');

test.each([
  {},
  [],
  { a: 1 },
  [1, -2.5, 1e30, true, false, null],
  { a: { b: [{ c: [] }, {}], d: '' }, 'e"f': 'g\\h, {"i": [1]}' },
  [[], [[]], { a: [] }],
  { 'a:b': 'c: d', e: '\u202e 👩‍👩‍👧 \n' },
])('JSON shows as a person writes it: %j', (value) => {
  const expected = JSON.stringify(value, undefined, 2);
  expect(written(JSON.stringify(value))).toBe(expected);
  expect(written(` ${JSON.stringify(value, undefined, 7)}\n`)).toBe(expected);
});

test('what parsing would change stays: large numbers, keys that stand twice, escapes', () => {
  const json = '{"a":12345678901234567890,"a":1.0,"b":"\\u0041","c":1E400}';
  expect(written(json)?.replace(/\s/g, '')).toBe(json);
});

test('each piece says what it is', () => {
  expect(jsonPieces('{"a":["b",1,null]}')).toEqual([
    { kind: 'mark', text: '{\n  ' },
    { kind: 'key', text: '"a"' },
    { kind: 'mark', text: ': ' },
    { kind: 'mark', text: '[\n    ' },
    { kind: 'text', text: '"b"' },
    { kind: 'mark', text: ',\n    ' },
    { kind: 'number', text: '1' },
    { kind: 'mark', text: ',\n    ' },
    { kind: 'word', text: 'null' },
    { kind: 'mark', text: '\n  ]' },
    { kind: 'mark', text: '\n}' },
  ]);
});

test.each(['', 'Hello', '{', '{"a":1', '12', '"a"', 'null', '<html>{}'])(
  'other text stays text: %s',
  (text) => {
    expect(jsonPieces(text)).toBeUndefined();
  },
);
