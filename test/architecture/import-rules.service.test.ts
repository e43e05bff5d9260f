import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cruise, type IViolation } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';

/** Runs the rules of `.dependency-cruiser.mjs` over the `src/` of a folder and gives what they complain of. */
async function violationsIn(folder: string): Promise<readonly IViolation[]> {
  const options = await extractDepcruiseOptions(repositoryFile('.dependency-cruiser.mjs'));
  const { output } = await cruise(
    ['src'],
    { ...options, baseDir: folder },
    {},
    { tsConfig: extractTSConfig(repositoryFile('tsconfig.json')) },
  );
  if (typeof output === 'string') throw new Error(`dependency-cruiser responded with text: ${output}`);
  if (output.summary.totalCruised === 0) throw new Error(`dependency-cruiser found nothing in ${folder}/src`);
  return output.summary.violations;
}

/** The names of the rules of `.dependency-cruiser.mjs`. */
async function ruleNames(): Promise<readonly string[]> {
  const { ruleSet } = await extractDepcruiseOptions(repositoryFile('.dependency-cruiser.mjs'));
  return (ruleSet?.forbidden ?? []).flatMap(({ name }) => name ?? []);
}

test.each(['client', 'webhooks', 'server', 'workbench', 'postgres', 'cli'])(
  'every folder of src/%s belongs to a layer',
  async (folder) => {
    const entries = await readdir(repositoryFile(`src/${folder}`), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const layers = (await ruleNames()).filter((name) => name.startsWith(`${folder}-layer-`));

    expect(layers.sort()).toEqual(folders.map((name) => `${folder}-layer-${name}`).sort());
  },
);

test('the sources keep every import rule', async () => {
  const violations = await violationsIn(repositoryFile('.'));

  expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
});

/**
 * One breach of each kind of rule: a file that should not be, what it imports, and the rule that must notice. The rules of folders,
 * of their layers and of libraries are each made by one function, so one of them stands for all.
 */
const breaches: readonly (readonly [file: string, imports: string, rule: string])[] = [
  ['src/client/breach.ts', '../server/innocent.js', 'client-imports'],
  ['src/server/service/breach.ts', '../subjects/innocent.js', 'server-layer-service'],
  ['src/client/zod-breach.ts', 'zod/mini', 'only-one-knows-zod'],
  ['src/server/memory-breach.ts', './store/memory/innocent.js', 'only-the-server-chooses-a-store'],
  ['src/server/http/control-breach.ts', './control/innocent.js', 'http-knows-no-control'],
  ['src/server/http/metrics-breach.ts', './metrics/innocent.js', 'http-knows-no-metrics'],
  ['src/server/http/page-breach.ts', './page/innocent.js', 'http-knows-no-page'],
  ['src/server/subjects/reference-workspace.ts', '../../client/innocent.js', 'workspace-provides-a-client'],
  ['src/postgres/breach.ts', '../server/subjects/innocent.js', 'postgres-knows-the-port-alone'],
  ['src/mcp/breach.ts', '../server/subjects/innocent.js', 'mcp-knows-the-table-alone'],
  ['src/cli/breach.ts', '../server/innocent.js', 'cli-imports-public-entries'],
  ['src/bulk/breach.ts', '../client/innocent.js', 'bulk-knows-the-checkpoint-alone'],
  ['src/client/bulk-breach.ts', './bulk/innocent.js', 'bulk-is-loaded-when-used'],
  ['src/index.ts', './server/innocent.js', 'index-imports-client-side'],
  ['src/workbench/breach.ts', '../client/innocent.js', 'workbench-imports'],
  ['src/server/library-breach.ts', 'express', 'no-unknown-library'],
  ['src/webhooks/node-breach.ts', 'node:crypto', 'no-node-outside-node'],
  ['src/server/cycle-breach.ts', './cycle-partner.js', 'no-cycle'],
  ['src/server/lost-breach.ts', './nowhere.js', 'no-unresolvable'],
];
/** Those that import it when it runs, and not its types alone. */
const loading: typeof breaches = [
  ['src/cli/mcp-breach.ts', '../mcp/index.js', 'cli-loads-the-tools-when-asked'],
  ['src/cli/postgres-breach.ts', '../postgres/index.js', 'cli-loads-the-store-when-asked'],
  ['src/workbench/schema-breach.ts', '../contract/innocent.js', 'workbench-loads-the-tables-alone'],
];

const innocents = [
  'contract',
  'client',
  'client/bulk',
  'server',
  'server/subjects',
  'server/store/memory',
  'server/http/control',
  'server/http/metrics',
  'server/http/page',
].map((folder) => `src/${folder}/innocent.ts`);
const entries = ['src/mcp/index.ts', 'src/postgres/index.ts'];

test('a breach of each kind is noticed, and nothing else is', async () => {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  const folder = await mkdtemp(repositoryFile('.cache/breaches-')); // inside the repository, where the libraries resolve
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  for (const file of [...innocents, ...entries]) await write(file, 'export const innocent = true;\n');
  await write('src/server/cycle-partner.ts', "import type {} from './cycle-breach.js';\n");
  for (const [file, imports] of breaches) await write(file, `import type {} from '${imports}';\n`);
  for (const [file, imports] of loading) await write(file, `import '${imports}';\n`);
  const noticed = (await violationsIn(folder)).map(({ rule, from }) => `${rule.name}: ${from}`);

  expect(noticed.toSorted()).toEqual(
    [...breaches, ...loading].map(([file, , rule]) => `${rule}: ${file}`).sort(),
  );
});
