import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleSize } from '../measure/bundle-size.js';
import { installedSize } from '../measure/installed-size.js';
import type { Report, Row } from '../report/section.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bench = fileURLToPath(new URL('..', import.meta.url));

interface Bundle {
  readonly name: string;
  readonly program: string;
  readonly withLazy?: boolean;
  readonly target?: number;
}

const client = "export { MessagingAutomation } from './dist/index.js'";
const ourBundles: readonly Bundle[] = [
  { name: 'messaging-automation', program: client, target: 20 },
  { name: '… with all that calls load', program: client, withLazy: true },
  { name: '… verifyWebhook alone', program: "export { verifyWebhook } from './dist/webhooks.js'", target: 4 },
];
const bundledPeers: readonly Bundle[] = [
  { name: 'loops', program: "export { LoopsClient } from 'loops'" },
  { name: 'ky', program: "export { default } from 'ky'" },
  { name: 'svix', program: "export { Svix } from 'svix'" },
  { name: 'stripe', program: "export { default } from 'stripe'" },
  { name: 'resend', program: "export { Resend } from 'resend'" },
  { name: 'openai', program: "export { default } from 'openai'" },
];
const installedPeers = [
  'loops',
  'resend',
  '@octokit/webhooks',
  'standardwebhooks',
  'svix',
  'openai',
  'stripe',
];

/** What a user's application grows by, and what an install brings. */
export async function measureSizes({ withPeers }: { readonly withPeers: boolean }): Promise<Report> {
  const bundles = await Promise.all([
    ...ourBundles.map((bundle) => bundleRow(bundle, root, true)),
    ...(withPeers ? bundledPeers : []).map((bundle) => bundleRow(bundle, bench, false)),
  ]);
  const installs = await Promise.all(
    (withPeers ? installedPeers : []).map(async (name) => {
      const { bytes, packages } = await installedSize(name, bench);
      return sizeRow(name, bytes / 1_000_000, `MB in ${packages} package${packages === 1 ? '' : 's'}`, false);
    }),
  );
  return {
    id: 'sizes',
    method:
      'Bundles of the client class by esbuild for Node, with what loads at once. Installs with all that they ' +
      'depend on.',
    sections: [
      { title: 'Bundle', unit: 'kB, minified and gzipped', better: 'less', rows: bundles },
      { title: 'Install', unit: 'MB on disk', better: 'less', rows: [ownInstall(), ...installs] },
    ],
  };
}

async function bundleRow(bundle: Bundle, folder: string, ours: boolean): Promise<Row> {
  const { name, program, withLazy = false, target } = bundle;
  return sizeRow(name, (await bundleSize(program, folder, withLazy)) / 1_000, 'kB', ours, target);
}

function ownInstall(): Row {
  const report = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed]: readonly { readonly unpackedSize: number }[] = JSON.parse(report);
  if (!packed) throw new Error('npm packed nothing.');
  return sizeRow('messaging-automation', packed.unpackedSize / 1_000_000, 'MB in 1 package', true, 3);
}

function sizeRow(name: string, value: number, unit: string, ours: boolean, target?: number): Row {
  return { name, value, measured: `${value.toFixed(1)} ${unit}`, ours, target };
}
