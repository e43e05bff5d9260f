import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import type { NumberedEntry } from '../../../src/server/inspection/inspection.js';
import { environment, outcomeOf } from '../../package/commands.js';
import { testProject } from '../../package/project.js';
import { startWithEveryEntry } from './every-entry.js';
import { runTests } from './run-tests.js';
import { stories } from './stories.js';

/** A folder that has the package and Vitest, and nothing of this repository. */
const project = testProject('untypedPackage');

interface Copied {
  readonly name: string;
  readonly entry: NumberedEntry;
  readonly copies: { readonly curl: string; readonly code: string; readonly test: string };
}

async function copiesOf(story: string, server: ReferenceServer): Promise<readonly Copied[]> {
  const count = (await server.journal.entries()).length;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { entry, copies } = await server.journal.inspect(index + 1);
      const kind = entry.type === 'request' ? `${entry.operation}-${entry.status ?? 'none'}` : entry.type;
      return { name: `${story}-${index + 1}-${kind}`, entry, copies };
    }),
  );
}

async function copiesOfAll(): Promise<readonly Copied[]> {
  const found = Object.entries(stories).map(async ([story, start]) => copiesOf(story, await start()));
  return (await Promise.all(found)).flat();
}

const kindOf = ({ name }: Copied) => name.replace(/^\w+-\d+-/, '');

test('the copied test of each entry passes, and fails where the entry does not happen', {
  timeout: 300_000,
}, async () => {
  const all = await copiesOfAll();
  expect(new Set(all.map(({ entry }) => entry.type)).size).toBe(8);
  const tests = all.map(({ name, copies }) => [name, copies.test] as const);
  const passing = await runTests(project().folder, Object.fromEntries(tests));
  expect(passing.ending, passing.printed).toBe('ended with exit code 0');

  const planted = tests.map(([name, text]) => [
    `${name}-planted`,
    text.replace(
      /(?= {2}(expect\(\(?await server\.journal|await server\.contact\(.+\.receives))/,
      '  await server.reset();\n',
    ),
  ]);
  const { printed } = await runTests(project().folder, Object.fromEntries(planted));
  expect(printed).toMatch(new RegExp(`Tests +${tests.length} failed \\(${tests.length}\\)`));
});

test('the recording of each story is a test that passes, and fails where a part of it does not happen', {
  timeout: 120_000,
}, async () => {
  const tests: Record<string, string> = {};
  for (const [story, start] of Object.entries(stories)) {
    const server = await start();
    tests[`recorded-${story}`] = await server.journal.testSince();
    // From the middle on: what an earlier message or request led to has its cause in the test.
    tests[`recorded-half-${story}`] = await server.journal.testSince(
      Math.floor((await server.journal.entries()).length / 2),
    );
  }
  const passing = await runTests(project().folder, tests);
  expect(passing.ending, passing.printed).toBe('ended with exit code 0');

  const planted = Object.entries(tests).map(([name, text]) => [
    `${name}-planted`,
    text.replace(
      /(?=\n {2}(expect|await expect|await server\.(client|contact))[^;]*;\n(?: {2}expect|\n))/,
      '\n  await server.reset();',
    ),
  ]);
  const { printed } = await runTests(project().folder, Object.fromEntries(planted));
  expect(printed).toMatch(new RegExp(`Tests +${planted.length} failed \\(${planted.length}\\)`));
});

test('the copied code of each kind of entry is a program that runs as it is', {
  timeout: 120_000,
}, async () => {
  const all = await copiesOfAll();
  const server = await startWithEveryEntry();
  const { baseUrl } = await server.listen();
  const programs = new Map(all.map((copied) => [kindOf(copied), copied]));
  const env = {
    ...environment(),
    MESSAGING_AUTOMATION_API_KEY: server.apiKey,
    MESSAGING_AUTOMATION_BASE_URL: baseUrl,
  };
  for (const [kind, { copies, entry }] of programs) {
    await writeFile(join(project().folder, `${kind}.mjs`), copies.code);
    const { stdout, stderr, ending } = await outcomeOf(process.execPath, [`${kind}.mjs`], {
      cwd: project().folder,
      env,
    });
    const isOfClient = copies.code.includes('new MessagingAutomation');
    if (!isOfClient) expect(stdout, kind).toContain(`type: '${entry.type}'`);
    // What the service refuses, the client throws.
    if (isOfClient && ending !== 'ended with exit code 0')
      expect(stderr).toMatch(/outcome: 'not_sent'|status: 4\d\d/);
    else expect(ending, `${kind}: ${stderr}`).toBe('ended with exit code 0');
  }
});

test.runIf(hasCurl())('the copied command of each entry reaches the server as it is', async () => {
  const server = await startWithEveryEntry();
  const { url } = await server.listen();
  const entries = await server.journal.entries();
  for (const number of [...entries.keys()].map((index) => index + 1)) {
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const { entry, copies } = Object(
      await (await fetch(`${url}/control/journal/${number}`, { headers })).json(),
    );
    const shown = `curl() { command curl -sS -o /dev/null -w '%{http_code}' "$@"; }\n${copies.curl}`;
    const { stdout } = await outcomeOf('sh', ['-c', shown], {
      cwd: project().folder,
      env: { ...environment(), MESSAGING_AUTOMATION_API_KEY: server.apiKey },
    });
    expect(stdout, copies.curl).toMatch(entry.type === 'request' ? /^[24]\d\d$/ : /^(2\d\d|404|422)$/);
    await server.faults.clear();
  }
});

function hasCurl(): boolean {
  const isThere = spawnSync('curl', ['--version']).status === 0;
  if (!isThere) process.emitWarning('NOT RUN: curl cannot be found on this machine');
  return isThere;
}
