import type { ConformanceReport } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { conformanceTable } from '../../src/cli/conformance/conformance-table.js';
import {
  printable,
  shownArgument,
  styled,
  terminalLine,
  terminalLines,
} from '../../src/cli/terminal/terminal.js';
import { FakeTerminal } from './fake-terminal.js';

test.each([
  ['a colour', '\u001b[32m✓ held', '\\u001b[32m✓ held'],
  ['a line end', 'no\r\n  ✓ held\u2028', 'no\\u000d\\u000a  ✓ held\\u2028'],
  ['a C1 control', '\u009b31m', '\\u009b31m'],
  ['a change of direction', 'a\u202eb\u2066c\u061c', 'a\\u202eb\\u2066c\\u061c'],
  ['what takes no room', 'a\u200bb\u00adc\ufeffd\u200de', 'a\\u200bb\\u00adc\\ufeffd\\u200de'],
  ['a tag', '\u{e0041}', '\\udb40\\udc41'],
  ['half a character', 'a\ud83d', 'a\\ud83d'],
])('%s in a text from outside is shown by its code', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ['order-1001', 'order-1001'],
  ['order 1001', "'order 1001'"],
  ['-1', '-- -1'],
  ["--it's", "-- '--it'\\''s'"],
])('%s as an argument of a command to copy is no flag, and one word: %s', (text, shown) => {
  expect(shownArgument(text)).toBe(shown);
});

test('a conformance report shows what a deployment sent in one line each', () => {
  const forged = 'the code x\n  ✓ held       everything\u001b[2K';
  const report: ConformanceReport = {
    baseUrl: 'https://a.test/api',
    checks: [{ section: '§7', statement: 'codes', verdict: 'broken', seen: forged, expected: forged }],
    totals: { held: 0, broken: 1, not_shown: 0, not_checked: 0 },
    requests: 1,
    rateLimited: { responses: 0, waited: 0 },
    uncheckedEndpoints: [],
    leftBehind: [forged],
  };
  const terminal = new FakeTerminal();
  terminal.print(...conformanceTable(terminal, report));

  expect(terminal.output.split('\n').filter((line) => line.trim().startsWith('✓ held'))).toEqual([]);
  expect(terminal.output).not.toContain('\u001b');
});

test('letters, accents, other scripts and emoji stay as they are', () => {
  const text = 'Zoë, Grüße, مرحبا, हिन्दी, 👩‍🚀 👩‍❤️‍👩 🇬🇧';
  expect(printable(text)).toBe(text);
});

test('JSON stays the same JSON', () => {
  const report = { seen: 'a\u202e\u001b[2J\u{e0041}', lines: [1, 2] };
  const terminal = new FakeTerminal();
  terminal.print(...JSON.stringify(report, null, 2).split('\n'));
  expect(JSON.parse(terminal.output)).toEqual(report);
});

test('a terminal shows our own styles, and none of a text from outside, also within one of ours', () => {
  const forged = '\u001b[31mx\u009b2J\n✓';
  const line = `${styled({ colors: true }, 'green', forged)} ${forged}`;
  const shown = '\\u001b[31mx\\u009b2J\\u000a✓';
  expect(terminalLine(line)).toBe(`\u001b[32m${shown}\u001b[39m ${shown}`);
  expect(terminalLines('a\u001b\nb')).toBe('a\\u001b\nb');
});
