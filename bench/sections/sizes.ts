import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleSize } from '../measure/bundle-size.js';
import { installedSize } from '../measure/installed-size.js';
import type { Report, Row } from '../report/section.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bench = fileURLToPath(new URL('..', import.meta.url));

const ourBundles = [
  {
    name: 'messaging-automation',
    program: "export { MessagingAutomation } from './dist/index.js'",
    target: 20,
  },
  { name: '… with what a first call loads', program: "export * from './dist/index.js'", withLazy: true },
  { name: '… verifyWebhook alone', program: "export { verifyWebhook } from './dist/webhooks.js'", target: 4 },
] as const;
const bundledPeers = ['loops', 'ky', 'resend', 'svix', 'stripe', 'openai'];
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
    ...ourBundles.map(async (bundle) => {
      const size = await bundleSize(bundle.program, root, 'withLazy' in bundle);
      return sizeRow(bundle.name, size / 1_000, 'kB', true, 'target' in bundle ? bundle.target : undefined);
    }),
    ...(withPeers ? bundledPeers : []).map(async (name) => {
      const size = await bundleSize(
        `export * from '${name}'; export { default } from '${name}'`,
        bench,
        false,
      );
      return sizeRow(name, size / 1_000, 'kB', false);
    }),
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
      'Bundles by esbuild for Node, with what loads at once; for the others all they export. Installs with all that ' +
      'they depend on.',
    sections: [
      { title: 'Bundle', unit: 'kB, minified and gzipped', better: 'less', rows: bundles },
      { title: 'Install', unit: 'MB on disk', better: 'less', rows: [ownInstall(), ...installs] },
    ],
  };
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
