import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Environment, plainNode } from './environments.js';
import { type Project, startProject } from './project.js';
import { type Run, runSuites } from './run.js';
import { suites } from './suites.js';

/**
 * Runs the matrices on the packed package where a test runner evaluates it in a realm of its own: an Error, a Headers or a Promise of
 * the network is of another realm there. What is seen must be what is seen on plain Node.js.
 */
export function compareWithPlainNode(environments: readonly Environment[]): void {
  let project: Project;
  let expected: Run;

  beforeAll(async () => {
    project = await startProject();
    expected = await runSuites(plainNode, project.folder);
  }, 300_000);

  afterAll(async () => {
    for (const { name, without = {} } of environments) {
      for (const [suite, reason] of Object.entries(without))
        process.stdout.write(`${name} without ${suite}: ${reason}.\n`);
    }
    await project?.[Symbol.asyncDispose]();
  });

  describe.each([plainNode, ...environments].map((one) => [one.name, one] as const))(
    '%s',
    (_, environment) => {
      const { without = {} } = environment;
      const here = suites.filter((suite) => !(suite.name in without));
      let run: Run;

      beforeAll(async () => {
        run = environment === plainNode ? expected : await runSuites(environment, project.folder);
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
}
