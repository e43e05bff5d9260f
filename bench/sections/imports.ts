import { spawnSync } from 'node:child_process';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';

interface Import {
  readonly name: string;
  /** The module, or `undefined` for none. */
  readonly url: string | undefined;
  readonly target?: number;
}

const ours: readonly Import[] = [
  { name: 'messaging-automation', url: distribution('index.js'), target: 15 },
  { name: 'messaging-automation/webhooks', url: distribution('webhooks.js'), target: 5 },
];
const peers: readonly Import[] = [
  'loops',
  'resend',
  '@octokit/webhooks',
  'standardwebhooks',
  'ky',
  'svix',
  'openai',
  'stripe',
].map((name) => ({ name, url: import.meta.resolve(name) }));

/** How much longer a process of Node takes that imports something and ends. */
export function measureImports({ withPeers }: { readonly withPeers: boolean }): Report {
  const imports: readonly Import[] = [
    { name: 'nothing', url: undefined },
    ...ours,
    ...(withPeers ? peers : []),
  ];
  const rounds = withPeers ? 25 : 15;
  const times = imports.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1) {
    showProgress('Imports', round + 1, rounds + 1);
    for (let turn = 0; turn < imports.length; turn += 1) {
      const index = (turn + round + 1) % imports.length;
      const time = startAndEnd(imports[index]?.url);
      if (round >= 0) times[index]?.push(time); // the first only fills the caches of files
    }
  }
  showProgress('Imports', 1, 1);
  const [bare = []] = times;
  return {
    id: 'imports',
    method: `Fresh processes in turn, from start to end; a bare start of Node takes ${median(bare).toFixed(0)} ms here.`,
    sections: [
      {
        title: 'Import',
        unit: 'ms more than a bare start of Node',
        better: 'less',
        rows: imports.slice(1).map(({ name, target }, index) => {
          const own = times[index + 1] ?? [];
          return {
            name,
            value: median(own.map((time, round) => time - (bare[round] ?? Number.NaN))),
            measured: `${median(own).toFixed(0)} ms in all`,
            ours: target !== undefined,
            target,
          };
        }),
      },
    ],
  };
}

/** Milliseconds. */
function startAndEnd(url: string | undefined): number {
  const program = url === undefined ? '' : `import ${JSON.stringify(url)}`;
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
  const time = performance.now() - start;
  if (status !== 0) throw new Error(`Importing ${url} failed: ${stderr}`);
  return time;
}

function distribution(file: string): string {
  return new URL(`../../dist/${file}`, import.meta.url).href;
}
