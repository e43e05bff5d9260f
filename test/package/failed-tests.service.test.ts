import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { environment, outcomeOf } from './commands.js';
import { testProject } from './project.js';

const project = testProject('untypedPackage');

const suite = `
const server = createReferenceServer({ clock: 'frozen', now: '2026-01-01T09:00:00Z' });
test('passes', keepOnFailure(server, async () => {}));
test('is "wrong"', keepOnFailure(server, async () => {
  await server.client.contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
  assert.equal('Ada', 'Grace');
}));
`;

/** Suites that fail, by their runner: the file, and the command that runs it. */
const runners = {
  'node:test': {
    file: 'node.test.mjs',
    content: `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReferenceServer, keepOnFailure } from 'messaging-automation/server';
${suite}`,
    command: ['--test', '--test-reporter=spec'],
  },
  Jest: {
    file: 'jest.test.cjs',
    content: `
const assert = require('node:assert/strict');
const { createReferenceServer, keepOnFailure } = require('messaging-automation/server');
${suite}
test('by expect', keepOnFailure(server, async () => expect('Ada').toBe('Grace'), { directory: 'of-expect' }));`,
    command: ['node_modules/jest/bin/jest.js', '--rootDir=.', '--testMatch=**/*.test.cjs'],
  },
  Vitest: {
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
  },
} as const;

/** Runs a file of tests in a project that has the runner, and gives what a person sees. */
async function outputOf(file: string, content: string, command: readonly string[]): Promise<string> {
  const { folder } = project();
  for (const name of ['jest', 'vitest']) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(repositoryFile(`node_modules/${name}`), place, 'dir').catch(() => {});
  }
  await writeFile(join(folder, file), content);
  const { stdout, stderr, ending } = await outcomeOf(process.execPath, [...command, file], {
    cwd: folder,
    env: { ...environment(), NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  expect(ending).toBe('ended with exit code 1');
  return stdout + stderr;
}

test.each(Object.entries(runners))(
  'a test that fails in %s names its file, which npx opens, and the others leave none',
  { timeout: 120_000 },
  async (runner, { file, content, command }) => {
    const { folder } = project();
    const results = join(folder, 'test-results');
    await rm(results, { recursive: true, force: true });
    const output = await outputOf(file, content, command);

    const [name = ''] = await readdir(join(results, 'messaging-automation'));
    expect(await readdir(join(results, 'messaging-automation'))).toEqual([
      expect.stringMatching(/^is-wrong-/),
    ]);
    const line = `npx messaging-automation serve --port 0 --state test-results/messaging-automation/${name}`;
    expect(output).toContain(line);
    if (runner === 'Jest')
      expect(output).toMatch(/serve --port 0 --state of-expect\/by-expect-\w+\.failed\.json/);

    const [, , ...words] = line.split(' ');
    const serve = spawn('npx', ['--no-install', 'messaging-automation', ...words, '--json'], {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const text of createInterface({ input: serve.stdout })) {
      const { type, url, apiKey, page } = JSON.parse(text);
      if (type !== 'ready') continue;
      const headers = { authorization: `Bearer ${apiKey}` };
      const contacts = await fetch(`${url}/control/contacts`, { headers });
      const journal = await fetch(`${url}/control/journal`, { headers });
      expect(await contacts.json()).toMatchObject({ data: [{ properties: { firstName: 'Ada' } }] });
      expect(await journal.json()).toMatchObject({
        data: [{ operation: 'contacts.upsert', at: Date.parse('2026-01-01T09:00:00Z') }],
      });
      expect((await fetch(page)).status).toBe(200);
      serve.kill('SIGTERM');
    }
    if (serve.exitCode === null && serve.signalCode === null) await once(serve, 'exit');
  },
);

test('fifty tests of a process leave a file, and the next says that there are no more', async () => {
  const { folder } = project();
  const output = await outputOf(
    'many.test.mjs',
    `
import { test } from 'node:test';
import { createReferenceServer, keepOnFailure } from 'messaging-automation/server';
const server = createReferenceServer();
for (let number = 1; number <= 60; number += 1) {
  test('number ' + number, keepOnFailure(server, () => Promise.reject(new Error('no')), { directory: 'many' }));
}
`,
    ['--test', '--test-reporter=tap'],
  );
  expect(await readdir(join(folder, 'many'))).toHaveLength(50);
  expect(output.match(/error: .*\n(.*\n){0,4}.*Only the first 50 failed tests are/g)).toHaveLength(1);
});
