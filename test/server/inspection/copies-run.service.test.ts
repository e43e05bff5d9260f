import { expect, test } from 'vitest';
import { testProject } from '../../package/project.js';
import { startWithEveryEntry } from './every-entry.js';
import { withoutAnything, withoutLastAct } from './run-copy.js';
import { runTests } from './run-tests.js';
import { sessionOf } from './sessions.js';

/** A folder that has the package and Vitest, and nothing of this repository. */
const project = testProject('untypedPackage');

/** The copied test of one entry of each type, and two recordings. */
async function copiedTests(): Promise<Readonly<Record<string, string>>> {
  const everything = await startWithEveryEntry();
  const { server, since } = await sessionOf(7);
  const entries = await everything.journal.entries();
  const numbers = new Map(entries.map(({ type }, index) => [type, index + 1]));
  const copies = [...numbers].map(async ([type, number]) => {
    const { copies } = await everything.journal.inspect(number);
    return [type, copies.test] as const;
  });
  return {
    ...Object.fromEntries(await Promise.all(copies)),
    'recorded-everything': await everything.journal.testSince(),
    'recorded-session': await server.journal.testSince(since),
  };
}

test('a copied test of each kind passes in a project that has the package alone, also as plain JavaScript, and fails where it does not happen', async () => {
  const tests = await copiedTests();
  expect(Object.keys(tests)).toHaveLength(10);
  for (const ending of ['ts', 'mjs'] as const) {
    const { ending: end, printed } = await runTests(project().folder, tests, ending);
    expect(end, printed).toBe('ended with exit code 0');
  }
  const planted = Object.entries(tests).map(([name, text]) => [
    `${name}-planted`,
    name.startsWith('recorded') ? withoutLastAct(text) : withoutAnything(text),
  ]);
  const { printed } = await runTests(project().folder, Object.fromEntries(planted));
  expect(printed).toMatch(new RegExp(`Tests +${planted.length} failed \\(${planted.length}\\)`));
});
