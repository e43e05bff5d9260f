import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeFailedTests, failingSuite, outputOf } from './failed-tests.js';
import { testProject } from './project.js';

const project = testProject('untypedPackage');

// Jest's is in `test/compat`.
describeFailedTests(project, [
  {
    name: 'node:test',
    file: 'node.test.mjs',
    content: `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReferenceServer, keepOnFailure } from 'messaging-automation/server';
${failingSuite}`,
    command: ['--test', '--test-reporter=spec'],
  },
  {
    name: 'Vitest',
    file: 'vitest.test.mjs',
    content: `
import { expect, test as base } from 'vitest';
import { workspaceFixtures } from 'messaging-automation/vitest';
const test = base.extend(workspaceFixtures({ now: '2026-01-01T09:00:00Z' }));
test('passes', async ({ workspace }) => void workspace);
const silent = base.extend(workspaceFixtures({}, { directory: false }));
silent('keeps nothing where it is not wanted', async ({ workspace }) => expect(workspace.id).toBe(''));
test.fails('is expected to fail', async ({ workspace }) => expect(workspace.id).toBe(''));
test('passes at its second try', { retry: 1 }, async ({ workspace, task }) => {
  expect(workspace.id).toBe(task.result.retryCount === 1 ? workspace.id : '');
});
test('is "wrong"', { retry: 1 }, async ({ messaging }) => {
  await messaging.contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
  expect('Ada').toBe('Grace');
});
`,
    command: ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default'],
    package: 'vitest',
  },
]);

test('fifty tests of a process leave a file, and the next says that there are no more', async () => {
  const { folder } = project();
  const output = await outputOf(project(), {
    file: 'many.test.mjs',
    content: `
import { test } from 'node:test';
import { createReferenceServer, keepOnFailure } from 'messaging-automation/server';
const server = createReferenceServer();
for (let number = 1; number <= 60; number += 1) {
  test('number ' + number, keepOnFailure(server, () => Promise.reject(new Error('no')), { directory: 'many' }));
}
`,
    command: ['--test', '--test-reporter=tap'],
  });
  expect(await readdir(join(folder, 'many'))).toHaveLength(50);
  expect(output.match(/error: .*\n(.*\n){0,4}.*Only the first 50 failed tests are/g)).toHaveLength(1);
});
