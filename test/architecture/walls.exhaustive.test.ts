import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** One broken wall each: a file that should not be, what it imports, and the rule that must notice. */
const breaches: readonly {
  readonly file: string;
  readonly imports: string;
  /** Imports it when it runs. Default: its types alone. */
  readonly loads?: boolean;
  readonly rule: string;
}[] = [
  { file: 'src/contract/breach.ts', imports: '../foundation/innocent.js', rule: 'contract-walls' },
  { file: 'src/foundation/breach.ts', imports: '../contract/innocent.js', rule: 'foundation-walls' },
  { file: 'src/postgres/breach.ts', imports: '../client/innocent.js', rule: 'postgres-walls' },
  {
    file: 'src/postgres/database/breach.ts',
    imports: '../records/innocent.js',
    rule: 'postgres-floor-database',
  },
  {
    file: 'src/postgres/records/breach.ts',
    imports: '../replica/innocent.js',
    rule: 'postgres-floor-records',
  },
  {
    file: 'src/postgres/port-breach.ts',
    imports: '../server/service/innocent.js',
    rule: 'postgres-knows-the-port-alone',
  },
  { file: 'src/client/server-breach.ts', imports: '../server/index.js', rule: 'client-walls' },
  { file: 'src/client/webhooks-breach.ts', imports: '../webhooks/index.js', rule: 'client-walls' },
  { file: 'src/webhooks/client-breach.ts', imports: '../client/innocent.js', rule: 'webhooks-walls' },
  { file: 'src/webhooks/server-breach.ts', imports: '../server/index.js', rule: 'webhooks-walls' },
  {
    file: 'src/webhooks/crypto/breach.ts',
    imports: '../verification/innocent.js',
    rule: 'webhooks-floor-crypto',
  },
  {
    file: 'src/webhooks/dedupe/breach.ts',
    imports: '../receiver/innocent.js',
    rule: 'webhooks-floor-dedupe',
  },
  {
    file: 'src/webhooks/verification/breach.ts',
    imports: '../receiver/innocent.js',
    rule: 'webhooks-floor-verification',
  },
  {
    file: 'src/webhooks/diagnose/breach.ts',
    imports: '../receiver/innocent.js',
    rule: 'webhooks-floor-diagnose',
  },
  {
    file: 'src/webhooks/test-delivery/breach.ts',
    imports: '../receiver/innocent.js',
    rule: 'webhooks-floor-test-delivery',
  },
  {
    file: 'src/webhooks/receiver/breach.ts',
    imports: '../adapters/innocent.js',
    rule: 'webhooks-floor-receiver',
  },
  {
    file: 'src/webhooks/adapters/breach.ts',
    imports: '../diagnose/innocent.js',
    rule: 'webhooks-floor-adapters',
  },
  { file: 'src/server/client-breach.ts', imports: '../client/innocent.js', rule: 'server-walls' },
  {
    file: 'src/server/hands/reference-workspace.ts',
    imports: '../../client/innocent.js',
    rule: 'workspace-hands-out-a-client',
  },
  { file: 'src/server/time/breach.ts', imports: '../model/innocent.js', rule: 'server-floor-time' },
  { file: 'src/server/model/breach.ts', imports: '../store/innocent.js', rule: 'server-floor-model' },
  { file: 'src/server/answers/breach.ts', imports: '../http/innocent.js', rule: 'server-floor-answers' },
  { file: 'src/server/store/breach.ts', imports: '../service/innocent.js', rule: 'server-floor-store' },
  {
    file: 'src/server/service/breach.ts',
    imports: '../deliveries/innocent.js',
    rule: 'server-floor-service',
  },
  {
    file: 'src/server/deliveries/breach.ts',
    imports: '../faults/innocent.js',
    rule: 'server-floor-deliveries',
  },
  { file: 'src/server/faults/breach.ts', imports: '../http/innocent.js', rule: 'server-floor-faults' },
  {
    file: 'src/server/explanation/breach.ts',
    imports: '../faults/innocent.js',
    rule: 'server-floor-explanation',
  },
  {
    file: 'src/server/inspection/breach.ts',
    imports: '../workspace/innocent.js',
    rule: 'server-floor-inspection',
  },
  { file: 'src/server/seed/breach.ts', imports: '../workspace/innocent.js', rule: 'server-floor-seed' },
  {
    file: 'src/server/workspace/breach.ts',
    imports: '../hands/innocent.js',
    rule: 'server-floor-workspace',
  },
  { file: 'src/server/hands/breach.ts', imports: '../http/innocent.js', rule: 'server-floor-hands' },
  { file: 'src/server/state/breach.ts', imports: '../http/innocent.js', rule: 'server-floor-state' },
  { file: 'src/server/http/breach.ts', imports: '../deliveries/innocent.js', rule: 'server-floor-http' },
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
  {
    file: 'src/server/memory-breach.ts',
    imports: './store/memory/innocent.js',
    rule: 'only-the-server-chooses-a-store',
  },
  { file: 'src/vitest/webhooks-breach.ts', imports: '../webhooks/index.js', rule: 'vitest-walls' },
  { file: 'src/server/msw-entry-breach.ts', imports: '../msw/index.js', rule: 'server-walls' },
  { file: 'src/undici/server-breach.ts', imports: '../server/index.js', rule: 'undici-walls' },
  { file: 'src/mcp/client-breach.ts', imports: '../client/innocent.js', rule: 'mcp-walls' },
  {
    file: 'src/mcp/service-breach.ts',
    imports: '../server/service/innocent.js',
    rule: 'mcp-knows-the-table-alone',
  },
  {
    file: 'src/cli/mcp-breach.ts',
    imports: '../mcp/index.js',
    loads: true,
    rule: 'cli-loads-the-tools-when-asked',
  },
  { file: 'src/files/bulk-breach.ts', imports: '../bulk/innocent.js', rule: 'files-walls' },
  { file: 'src/bulk/server-breach.ts', imports: '../server/index.js', rule: 'bulk-walls' },
  {
    file: 'src/bulk/client-breach.ts',
    imports: '../client/innocent.js',
    rule: 'bulk-knows-the-checkpoint-alone',
  },
  { file: 'src/conformance/client-breach.ts', imports: '../client/innocent.js', rule: 'conformance-walls' },
  { file: 'src/conformance/server-breach.ts', imports: '../server/index.js', rule: 'conformance-walls' },
  { file: 'src/client/errors/breach.ts', imports: '../answer/innocent.js', rule: 'client-floor-errors' },
  { file: 'src/client/transport/breach.ts', imports: '../call/innocent.js', rule: 'client-floor-transport' },
  { file: 'src/client/workspace/breach.ts', imports: '../call/innocent.js', rule: 'client-floor-workspace' },
  { file: 'src/client/request/breach.ts', imports: '../call/innocent.js', rule: 'client-floor-request' },
  { file: 'src/client/answer/breach.ts', imports: '../call/innocent.js', rule: 'client-floor-answer' },
  {
    file: 'src/client/observability/breach.ts',
    imports: '../call/innocent.js',
    rule: 'client-floor-observability',
  },
  { file: 'src/client/call/breach.ts', imports: '../resources/innocent.js', rule: 'client-floor-call' },
  {
    file: 'src/client/resources/breach.ts',
    imports: '../answer/innocent.js',
    rule: 'client-floor-resources',
  },
  { file: 'src/client/undici-breach.ts', imports: '../undici/innocent.js', rule: 'client-walls' },
  { file: 'src/msw/cli-breach.ts', imports: '../cli/innocent.js', rule: 'msw-walls' },
  {
    file: 'src/cli/postgres-breach.ts',
    imports: '../postgres/index.js',
    loads: true,
    rule: 'cli-loads-the-store-when-asked',
  },
  { file: 'src/cli/breach.ts', imports: '../server/innocent.js', rule: 'cli-imports-public-entries' },
  {
    file: 'src/cli/conformance/breach.ts',
    imports: '../contacts/innocent.js',
    rule: 'cli-floor-conformance',
  },
  { file: 'src/cli/contacts/breach.ts', imports: '../serve/innocent.js', rule: 'cli-floor-contacts' },
  { file: 'src/cli/receiver/breach.ts', imports: '../contacts/innocent.js', rule: 'cli-floor-receiver' },
  {
    file: 'src/cli/running-server/breach.ts',
    imports: '../contacts/innocent.js',
    rule: 'cli-floor-running-server',
  },
  { file: 'src/cli/serve/breach.ts', imports: '../contacts/innocent.js', rule: 'cli-floor-serve' },
  { file: 'src/cli/templates/breach.ts', imports: '../contacts/innocent.js', rule: 'cli-floor-templates' },
  { file: 'src/cli/terminal/breach.ts', imports: '../contacts/innocent.js', rule: 'cli-floor-terminal' },
  { file: 'src/cli/workspace/breach.ts', imports: '../contacts/innocent.js', rule: 'cli-floor-workspace' },
  { file: 'src/index.ts', imports: './server/index.js', rule: 'index-imports-client-side' },
  { file: 'src/client/bulk/breach.ts', imports: '../call/innocent.js', rule: 'client-floor-bulk' },
  { file: 'src/client/bulk-breach.ts', imports: './bulk/innocent.js', rule: 'bulk-is-loaded-when-used' },
  { file: 'src/client/zod-breach.ts', imports: 'zod/mini', rule: 'only-one-knows-zod' },
  {
    file: 'src/client/openapi3-ts-breach.ts',
    imports: 'openapi3-ts/oas31',
    rule: 'only-one-knows-openapi3-ts',
  },
  { file: 'src/client/ky-breach.ts', imports: 'ky', rule: 'only-one-knows-ky' },
  {
    file: 'src/client/hash-breach.ts',
    imports: '@noble/hashes/hmac.js',
    rule: 'only-one-knows-@noble/hashes',
  },
  { file: 'src/msw/queue-breach.ts', imports: 'tinyqueue', rule: 'only-one-knows-tinyqueue' },
  { file: 'src/webhooks/address-breach.ts', imports: 'ipaddr.js', rule: 'only-one-knows-ipaddr.js' },
  {
    file: 'src/server/random-breach.ts',
    imports: 'pure-rand/generator/xoroshiro128plus',
    rule: 'only-one-knows-pure-rand',
  },
  { file: 'src/server/msw-breach.ts', imports: 'msw', rule: 'only-one-knows-msw' },
  { file: 'src/client/dispatcher-breach.ts', imports: 'undici', rule: 'only-one-knows-undici' },
  { file: 'src/postgres/pg-breach.ts', imports: 'pg', rule: 'only-one-knows-pg' },
  {
    file: 'src/postgres/worker-breach.ts',
    imports: 'graphile-worker',
    rule: 'only-one-knows-graphile-worker',
  },
  { file: 'src/server/commander-breach.ts', imports: 'commander', rule: 'only-one-knows-commander' },
  { file: 'src/server/yaml-breach.ts', imports: 'yaml', rule: 'only-one-knows-yaml' },
  {
    file: 'src/server/eventsource-parser-breach.ts',
    imports: 'eventsource-parser',
    rule: 'only-one-knows-eventsource-parser',
  },
  { file: 'src/server/http/page-breach.ts', imports: './page/innocent.js', rule: 'http-knows-no-page' },
  { file: 'src/workbench/client-breach.ts', imports: '../client/innocent.js', rule: 'workbench-walls' },
  {
    file: 'src/workbench/schema-breach.ts',
    imports: '../contract/innocent.js',
    loads: true,
    rule: 'workbench-loads-the-tables-alone',
  },
  {
    file: 'src/cli/workbench-breach.ts',
    imports: '../workbench/innocent.js',
    rule: 'cli-imports-public-entries',
  },
  {
    file: 'src/server/workbench-breach.ts',
    imports: '../workbench/innocent.js',
    rule: 'server-walls',
  },
  {
    file: 'src/workbench/surface/breach.ts',
    imports: '../reading/innocent.js',
    rule: 'workbench-floor-surface',
  },
  {
    file: 'src/workbench/reading/breach.ts',
    imports: '../live/innocent.js',
    rule: 'workbench-floor-reading',
  },
  { file: 'src/workbench/live/breach.ts', imports: '../views/innocent.js', rule: 'workbench-floor-live' },
  {
    file: 'src/workbench/elements/breach.ts',
    imports: '../live/innocent.js',
    rule: 'workbench-floor-elements',
  },
  { file: 'src/workbench/views/breach.ts', imports: '../stray/innocent.js', rule: 'workbench-floor-views' },
  { file: 'src/cli/preact-breach.ts', imports: 'preact', rule: 'only-one-knows-preact' },
  { file: 'src/cli/signals-breach.ts', imports: '@preact/signals', rule: 'only-one-knows-@preact/signals' },
  { file: 'src/server/csv-parse-breach.ts', imports: 'csv-parse', rule: 'only-one-knows-csv-parse' },
  { file: 'src/server/library-breach.ts', imports: 'express', rule: 'no-unknown-library' },
  { file: 'src/client/node-breach.ts', imports: 'node:crypto', rule: 'no-node-outside-node' },
  { file: 'src/webhooks/node-breach.ts', imports: 'node:crypto', rule: 'no-node-outside-node' },
  { file: 'src/conformance/node-breach.ts', imports: 'node:http', rule: 'no-node-outside-node' },
  { file: 'src/contract/node-breach.ts', imports: 'node:crypto', rule: 'no-node-outside-node' },
  { file: 'src/foundation/node-breach.ts', imports: 'node:crypto', rule: 'no-node-outside-node' },
  { file: 'src/server/cycle-breach.ts', imports: './cycle-partner.js', rule: 'no-cycle' },
  { file: 'src/server/lost-breach.ts', imports: './nowhere.js', rule: 'no-unresolvable' },
];

const innocents = [
  'src/contract/innocent.ts',
  'src/foundation/innocent.ts',
  'src/client/innocent.ts',
  'src/client/answer/innocent.ts',
  'src/client/call/innocent.ts',
  'src/client/resources/innocent.ts',
  'src/client/bulk/innocent.ts',
  'src/webhooks/index.ts',
  'src/webhooks/adapters/innocent.ts',
  'src/webhooks/diagnose/innocent.ts',
  'src/webhooks/receiver/innocent.ts',
  'src/webhooks/verification/innocent.ts',
  'src/server/index.ts',
  'src/server/innocent.ts',
  'src/server/model/innocent.ts',
  'src/server/store/innocent.ts',
  'src/server/store/memory/innocent.ts',
  'src/server/service/innocent.ts',
  'src/server/deliveries/innocent.ts',
  'src/server/faults/innocent.ts',
  'src/server/workspace/innocent.ts',
  'src/server/hands/innocent.ts',
  'src/server/http/innocent.ts',
  'src/server/http/control/innocent.ts',
  'src/msw/index.ts',
  'src/undici/innocent.ts',
  'src/mcp/index.ts',
  'src/postgres/index.ts',
  'src/postgres/records/innocent.ts',
  'src/postgres/replica/innocent.ts',
  'src/bulk/innocent.ts',
  'src/cli/innocent.ts',
  'src/cli/contacts/innocent.ts',
  'src/cli/serve/innocent.ts',
  'src/server/http/page/innocent.ts',
  'src/server/http/metrics/innocent.ts',
  'src/workbench/innocent.ts',
  'src/workbench/reading/innocent.ts',
  'src/workbench/live/innocent.ts',
  'src/workbench/views/innocent.ts',
  'src/workbench/stray/innocent.ts',
];

describe('a broken wall is noticed', () => {
  let folder: string;
  let noticed: readonly string[];

  beforeAll(async () => {
    await mkdir(repositoryFile('.cache'), { recursive: true });
    folder = await mkdtemp(repositoryFile('.cache/walls-')); // inside the repository, where the libraries resolve
    const write = async (file: string, text: string) => {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    };
    for (const file of innocents) await write(file, 'export const innocent = true;\n');
    await write('src/server/cycle-partner.ts', "import type {} from './cycle-breach.js';\n");
    for (const { file, imports, loads } of breaches) {
      await write(file, loads ? `import '${imports}';\n` : `import type {} from '${imports}';\n`);
    }
    noticed = (await violationsIn(folder)).map(({ rule, from }) => `${rule.name}: ${from}`);
  });

  afterAll(() => rm(folder, { recursive: true }));

  test.each(breaches)('$file may not import $imports', ({ file, rule }) => {
    expect(noticed).toContain(`${rule}: ${file}`);
  });

  test('and nothing else is', () => {
    expect([...noticed].sort()).toEqual(breaches.map(({ rule, file }) => `${rule}: ${file}`).sort());
  });
});
