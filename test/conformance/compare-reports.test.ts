import { type ConformanceReport, checkConformance, compareReports } from 'messaging-automation/conformance';
import { createReferenceServer } from 'messaging-automation/server';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand, temporaryFile } from '../cli/served.js';

type Verdict = ConformanceReport['checks'][number]['verdict'];

/** A report with one statement. */
function report(verdict?: Verdict, seen = '200'): ConformanceReport {
  const checks = verdict === undefined ? [] : [{ section: '§4', statement: 'one', verdict, seen }];
  const totals = { held: 0, broken: 0, not_shown: 0, not_checked: 0 };
  const rateLimited = { responses: 0, waited: 0 };
  return {
    baseUrl: 'https://a.test',
    checks,
    totals,
    requests: 1,
    rateLimited,
    uncheckedEndpoints: [],
    leftBehind: [],
  };
}

test.each<[string, ConformanceReport, ConformanceReport]>([
  ['broken', report('held'), report('broken')],
  ['broken', report('not_checked'), report('broken')],
  ['fixed', report('broken'), report('held')],
  ['changed', report('broken', '500'), report('broken', '200')],
  ['changed', report('not_shown', 'a list'), report('not_shown', 'an object')],
  ['changed', report('held'), report('not_shown')],
  ['new', report(), report('held')],
  ['gone', report('held'), report()],
  ['unchecked', report('held'), report('not_checked')],
  ['unchecked', report('broken'), report('not_checked')],
  ['checked', report('not_checked'), report('held')],
])('a statement is %s', (change, before, after) => {
  const of = { section: '§4', statement: 'one' };
  const [earlier] = before.checks;
  const [later] = after.checks;
  expect(compareReports(before, after)).toEqual([
    { change, ...of, ...(earlier && { before: earlier }), ...(later && { after: later }) },
  ]);
});

test('what a statement that holds has seen, and what an unchecked one needs, is no difference', () => {
  expect(compareReports(report('held', '3 s'), report('held', '4 s'))).toEqual([]);
  expect(compareReports(report('not_checked', 'a'), report('not_checked', 'b'))).toEqual([]);
});

test.each([
  ['another document', { openapi: '3.1.0' }, 'the baseline is not a report of checkConformance'],
  ['a list', [], 'the baseline is not a report of checkConformance'],
  ['no object', null, 'the baseline is not a report of checkConformance'],
  ['checks of doctor', { checks: [{ check: 'key' }] }, 'the baseline is not a report of checkConformance'],
  [
    'a verdict of another version',
    { checks: [{ section: '§4', statement: 'x', verdict: 'doubtful', seen: '' }] },
    'the verdict "doubtful", which this version does not know',
  ],
])('refuses %s as a baseline', (_, baseline, words) => {
  const given: ConformanceReport = JSON.parse(JSON.stringify(baseline));
  expect(() => compareReports(given, report())).toThrow(words);
});

test('each statement of a report has its own words, and two runs at one server are the same', async () => {
  const server = createReferenceServer();
  onTestFinished(() => server.close());
  const { baseUrl } = await server.listen({ port: 0 });
  const run = () => checkConformance({ baseUrl, apiKey: server.apiKey });
  const first = await run();
  expect(new Set(first.checks.map(({ section, statement }) => section + statement)).size).toBe(
    first.checks.length,
  );
  expect(compareReports(first, await run())).toEqual([]);
});

test('conformance --baseline exits by what changed, and prints that alone', async () => {
  const server = createReferenceServer({ apiKey: 'test_key' });
  onTestFinished(() => server.close());
  const { baseUrl } = await server.listen({ port: 0 });
  const words = ['conformance', '--url', baseUrl, '--api-key', 'test_key'];
  const { output: json } = await runCommand([...words, '--json']);
  const file = await temporaryFile('report.json', json);
  const again = await runCommand([...words, '--baseline', file]);
  expect(again).toMatchObject({ exitCode: 0, output: `Nothing has changed since ${file}.` });

  const fewer = await runCommand([...words, '--no-webhooks', '--baseline', file]);
  expect(fewer.exitCode).toBe(3);
  expect(fewer.output).toMatch(
    /\? unchecked +§4 POST \/v1\/webhooks.*\n +now not checked, it needs .*--no-webhooks\); before held, /,
  );

  const other = await temporaryFile('other.json', json.replace('"verdict": "held"', '"verdict": "broken"'));
  const fixed = await runCommand([...words, '--baseline', other]);
  expect(fixed.exitCode).toBe(1);
  expect(fixed.output).toMatch(/^Changes since .*: 1\n {2}✓ fixed /);
  const { output } = await runCommand([...words, '--baseline', other, '--json']);
  expect(JSON.parse(output)).toMatchObject({ changes: [{ change: 'fixed' }], checks: expect.any(Array) });

  const { exitCode, complaints } = await runCommand([
    ...words,
    '--baseline',
    await temporaryFile('x.json', '{'),
  ]);
  expect(exitCode).toBe(2);
  expect(complaints).toContain('x.json cannot be used.');
});
