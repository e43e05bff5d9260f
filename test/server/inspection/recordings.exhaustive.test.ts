import { expect, test } from 'vitest';
import { testProject } from '../../package/project.js';
import { withoutLastAct } from './run-copy.js';
import { runTests } from './run-tests.js';
import { sessionOf } from './sessions.js';

/** A folder that has the package and Vitest, and nothing of this repository. */
const project = testProject('untypedPackage');

const sessions = Array.from({ length: 40 }, (_, index) => index + 1);

test('the recordings of forty sessions pass as they are, also as plain JavaScript, and fail where the last thing does not happen', {
  timeout: 300_000,
}, async () => {
  const tests: Record<string, string> = {};
  for (const number of sessions) {
    const { server, since } = await sessionOf(number);
    tests[`session-${number}`] = await server.journal.testSince(since);
    await server.close();
  }
  for (const ending of ['ts', 'mjs'] as const) {
    const { ending: end, printed } = await runTests(project().folder, tests, ending);
    expect(end, printed).toBe('ended with exit code 0');
  }
  // A recording leaves something out only where the journal does not say how the workspace was before.
  const incomplete = Object.values(tests).filter((text) => /Left out|had no time/.test(text));
  expect(incomplete.length, incomplete.join('\n')).toBeLessThan(4);

  const planted = Object.entries(tests).map(([name, text]) => [`${name}-planted`, withoutLastAct(text)]);
  const { printed } = await runTests(project().folder, Object.fromEntries(planted));
  expect(printed).toMatch(new RegExp(`Tests +${planted.length} failed \\(${planted.length}\\)`));
});
