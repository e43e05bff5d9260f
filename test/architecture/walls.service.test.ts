import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { ruleNames, violationsIn } from './cruise.js';

test.each(['client', 'webhooks', 'server', 'workbench', 'postgres', 'cli'])(
  'every folder of src/%s stands on a floor',
  async (folder) => {
    const entries = await readdir(repositoryFile(`src/${folder}`), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const floors = (await ruleNames()).filter((name) => name.startsWith(`${folder}-floor-`));

    expect(floors.sort()).toEqual(folders.map((name) => `${folder}-floor-${name}`).sort());
  },
);

test('the sources keep every wall', async () => {
  const violations = await violationsIn(repositoryFile('.'));

  expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
});

/**
 * One broken wall of each kind: a file that should not be, what it imports, and the rule that must notice. The rules of folders,
 * of their floors and of libraries are each made by one function, so one of them stands for all.
 */
const breaches: readonly {
  readonly file: string;
  readonly imports: string;
  /** Imports it when it runs. Default: its types alone. */
  readonly loads?: boolean;
  readonly rule: string;
}[] = [
  { file: 'src/client/breach.ts', imports: '../server/innocent.js', rule: 'client-walls' },
  { file: 'src/server/service/breach.ts', imports: '../hands/innocent.js', rule: 'server-floor-service' },
  { file: 'src/client/zod-breach.ts', imports: 'zod/mini', rule: 'only-one-knows-zod' },
  {
    file: 'src/server/memory-breach.ts',
    imports: './store/memory/innocent.js',
    rule: 'only-the-server-chooses-a-store',
  },
  {
    file: 'src/server/http/control-breach.ts',
    imports: './control/innocent.js',
    rule: 'http-knows-no-control',
  },
  {
    file: 'src/server/http/metrics-breach.ts',
    imports: './metrics/innocent.js',
    rule: 'http-knows-no-metrics',
  },
  { file: 'src/server/http/page-breach.ts', imports: './page/innocent.js', rule: 'http-knows-no-page' },
  {
    file: 'src/server/hands/reference-workspace.ts',
    imports: '../../client/innocent.js',
    rule: 'workspace-hands-out-a-client',
  },
  {
    file: 'src/postgres/breach.ts',
    imports: '../server/hands/innocent.js',
    rule: 'postgres-knows-the-port-alone',
  },
  { file: 'src/mcp/breach.ts', imports: '../server/hands/innocent.js', rule: 'mcp-knows-the-table-alone' },
  {
    file: 'src/cli/mcp-breach.ts',
    imports: '../mcp/index.js',
    loads: true,
    rule: 'cli-loads-the-tools-when-asked',
  },
  {
    file: 'src/cli/postgres-breach.ts',
    imports: '../postgres/index.js',
    loads: true,
    rule: 'cli-loads-the-store-when-asked',
  },
  { file: 'src/cli/breach.ts', imports: '../server/innocent.js', rule: 'cli-imports-public-entries' },
  { file: 'src/bulk/breach.ts', imports: '../client/innocent.js', rule: 'bulk-knows-the-checkpoint-alone' },
  { file: 'src/client/bulk-breach.ts', imports: './bulk/innocent.js', rule: 'bulk-is-loaded-when-used' },
  { file: 'src/index.ts', imports: './server/innocent.js', rule: 'index-imports-client-side' },
  { file: 'src/workbench/breach.ts', imports: '../client/innocent.js', rule: 'workbench-walls' },
  {
    file: 'src/workbench/schema-breach.ts',
    imports: '../contract/innocent.js',
    loads: true,
    rule: 'workbench-loads-the-tables-alone',
  },
  { file: 'src/server/library-breach.ts', imports: 'express', rule: 'no-unknown-library' },
  { file: 'src/webhooks/node-breach.ts', imports: 'node:crypto', rule: 'no-node-outside-node' },
  { file: 'src/server/cycle-breach.ts', imports: './cycle-partner.js', rule: 'no-cycle' },
  { file: 'src/server/lost-breach.ts', imports: './nowhere.js', rule: 'no-unresolvable' },
];

const innocents = [
  'contract',
  'client',
  'client/bulk',
  'server',
  'server/hands',
  'server/store/memory',
  'server/http/control',
  'server/http/metrics',
  'server/http/page',
].map((folder) => `src/${folder}/innocent.ts`);
const entries = ['src/mcp/index.ts', 'src/postgres/index.ts'];

test('a broken wall of each kind is noticed, and nothing else is', async () => {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  const folder = await mkdtemp(repositoryFile('.cache/walls-')); // inside the repository, where the libraries resolve
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  for (const file of [...innocents, ...entries]) await write(file, 'export const innocent = true;\n');
  await write('src/server/cycle-partner.ts', "import type {} from './cycle-breach.js';\n");
  for (const { file, imports, loads } of breaches) {
    await write(file, loads ? `import '${imports}';\n` : `import type {} from '${imports}';\n`);
  }
  const noticed = (await violationsIn(folder)).map(({ rule, from }) => `${rule.name}: ${from}`);

  expect(noticed.toSorted()).toEqual(breaches.map(({ rule, file }) => `${rule}: ${file}`).sort());
});
