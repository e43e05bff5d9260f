import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { folderOfPackage } from '../run/frameworks.js';
import { environment, outcomeOf } from './commands.js';
import type { PackageProject } from './project.js';

/** Two tests of which one fails, for a runner that has a function `test` in scope. */
export const failingSuite = `
const server = createReferenceServer({ clock: 'frozen', now: '2026-01-01T09:00:00Z' });
test('passes', keepOnFailure(server, async () => {}));
test('is "wrong"', keepOnFailure(server, async () => {
  await server.client.contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
  assert.equal('Ada', 'Grace');
}));
`;

/** A runner of tests, and a suite for it with a test named `is "wrong"` that fails. */
export interface Runner {
  readonly name: string;
  readonly file: string;
  readonly content: string;
  /** The arguments of Node.js before the file. */
  readonly command: readonly string[];
  /** The package that the project must have. */
  readonly package?: string;
  /** What its output has besides. */
  readonly prints?: RegExp;
}

/** Runs a file of tests in a project that has the runner, and gives what a person sees. */
export async function outputOf(
  { folder }: PackageProject,
  { file, content, command, package: name }: Omit<Runner, 'name'>,
): Promise<string> {
  if (name !== undefined) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(folderOfPackage(name), place, 'dir');
  }
  await writeFile(join(folder, file), content);
  const { stdout, stderr, ending } = await outcomeOf(process.execPath, [...command, file], {
    cwd: folder,
    env: { ...environment(), NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  expect(ending).toBe('ended with exit code 1');
  return stdout + stderr;
}

/** Tests that a failed test of each runner says how to open the world that it leaves. */
export function describeFailedTests(project: () => PackageProject, runners: readonly Runner[]): void {
  test.each(runners)(
    'a test that fails in $name names its file, which npx opens, and the others leave none',
    { timeout: 120_000 },
    async (runner) => {
      const { folder } = project();
      const results = join(folder, 'test-results');
      await rm(results, { recursive: true, force: true });
      const output = await outputOf(project(), runner);

      const [name = ''] = await readdir(join(results, 'messaging-automation'));
      expect(await readdir(join(results, 'messaging-automation'))).toEqual([
        expect.stringMatching(/^is-wrong-/),
      ]);
      const line = `npx messaging-automation serve --port 0 --state test-results/messaging-automation/${name}`;
      expect(output).toContain(line);
      if (runner.prints) expect(output).toMatch(runner.prints);

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
}
