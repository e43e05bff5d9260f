import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from './commands.js';
import { testProject } from './project.js';

const installed = testProject();

describe('the packed package', () => {
  test('is the only package that an install brings', async () => {
    const packages = await readdir(join(installed().folder, 'node_modules'));

    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['messaging-automation']);
  });

  test('takes no more than 4.29 MB', () => {
    expect(installed().unpackedSize).toBeLessThanOrEqual(4_290_000);
  });
});

describe('a program that installed the package', () => {
  test.each(['mjs', 'cjs'])('shows the workbench from a .%s module', async (format) => {
    await installed().add(`workbench.${format}`);

    expect(JSON.parse(await run(installed().folder, 'node', `workbench.${format}`))).toEqual([
      { path: '/', status: 200, isWhole: true },
      { path: '/workbench/main.js', status: 200, isWhole: true },
      { path: '/workbench/main.css', status: 200, isWhole: true },
    ]);
  });

  test('names its version to the service', async () => {
    await installed().add('user-agent.mjs');
    const [name, version] = (await run(installed().folder, 'node', 'user-agent.mjs')).split(/[/ ]/);
    const manifest = await readFile(
      join(installed().folder, 'node_modules/messaging-automation/package.json'),
      'utf8',
    );

    expect({ name, version }).toEqual({
      name: 'messaging-automation',
      version: JSON.parse(manifest).version,
    });
  });

  test('says what a shared database needs where it is not installed, and not its password', async () => {
    const url = 'postgres://user:secret_password@127.0.0.1:9/messaging';
    const words = ['--no-install', 'messaging-automation', 'serve', '--store', url];
    const complaint = await run(installed().folder, 'npx', ...words).catch(({ cause }) => cause.stderr);

    expect(complaint).toContain(
      'needs the package "pg", which is not installed. Run: npm install pg graphile-worker',
    );
    expect(complaint).not.toContain('secret_password');
  });

  test('reads the OpenAPI document', async () => {
    const script =
      "process.stdout.write(JSON.parse(require('fs').readFileSync(require.resolve('messaging-automation/openapi.json'), 'utf8')).openapi)";

    expect(await run(installed().folder, 'node', '-e', script)).toMatch(/^3\.1\./);
  });
});
