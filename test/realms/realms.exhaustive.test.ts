import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aligned } from '../runtimes/report.js';
import { environments, plainNode } from './environments.js';
import { type Project, startProject } from './project.js';
import { type Run, runSuites } from './run.js';
import { type Suite, suites } from './suites.js';

// The matrices on the packed package, where a test runner evaluates it in a realm of its own: an Error, a Headers or a
// Promise of the network is of another realm there. What is seen must be what is seen on plain Node.js.

let project: Project;
let expected: Run;

beforeAll(async () => {
  project = await startProject();
  expected = await runSuites(plainNode, project.folder);
}, 300_000);

afterAll(async () => {
  const title = 'Tests that passed on the packed package, by environment and matrix';
  process.stdout.write(`\n${title}\n${aligned([['', ...suites.map(({ name }) => name)], ...rows])}\n`);
  for (const { name, without = {} } of environments) {
    for (const [suite, reason] of Object.entries(without))
      process.stdout.write(`${name} without ${suite}: ${reason}.\n`);
  }
  await project?.[Symbol.asyncDispose]();
});

const rows: string[][] = [];

describe.each([plainNode, ...environments].map((one) => [one.name, one] as const))(
  '%s',
  (name, environment) => {
    const { without = {} } = environment;
    const here = suites.filter((suite) => !(suite.name in without));
    let run: Run;

    beforeAll(async () => {
      run = environment === plainNode ? expected : await runSuites(environment, project.folder);
      rows.push([name, ...suites.map((suite) => (here.includes(suite) ? cellOf(run, suite) : '–'))]);
    }, 300_000);

    test.each(here.map((suite) => [suite.name, suite] as const))('%s: as on plain Node.js', (_, suite) => {
      const tests = run.testsOf(suite);
      const failures = tests.filter(({ failure }) => failure !== undefined);

      expect(failures.map((failed) => `${failed.name}\n${failed.failure}`)).toEqual([]);
      expect(tests.length).toBeGreaterThan(0);
      expect(tests.map((one) => one.name)).toEqual(expected.testsOf(suite).map((one) => one.name));
    });
  },
);

/** How many tests passed, here and on plain Node.js. Jest cannot skip a test that has begun, and counts it as passed. */
function cellOf(run: Run, suite: Suite): string {
  const tests = run.testsOf(suite);
  const elsewhere = new Set(expected.testsOf(suite).flatMap((one) => (one.passed ? [one.name] : [])));
  const passed = tests.filter((one) => one.passed && elsewhere.has(one.name)).length;
  const failed = tests.filter(({ failure }) => failure !== undefined).length;
  return failed === 0 ? String(passed) : `${passed}, ${failed} FAILED`;
}
