import type { ConformanceReport } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { conformanceTable } from '../../src/cli/conformance/conformance-table.js';
import { printable, printableLines } from '../../src/cli/terminal/terminal.js';
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
  const shown = conformanceTable(new FakeTerminal(), report);

  expect(shown.split('\n').filter((line) => line.trim().startsWith('✓ held'))).toEqual([]);
  expect(shown).not.toContain('\u001b');
});

test('letters, accents, other scripts and emoji stay as they are', () => {
  const text = 'Zoë, Grüße, مرحبا, हिन्दी, 👩‍🚀 👩‍❤️‍👩 🇬🇧';
  expect(printable(text)).toBe(text);
});

test('JSON stays the same JSON', () => {
  const report = { seen: 'a\u202e\u001b[2J\u{e0041}', lines: [1, 2] };
  expect(JSON.parse(printableLines(JSON.stringify(report, null, 2)))).toEqual(report);
});
