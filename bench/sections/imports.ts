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
const peers = ['loops', 'resend', '@octokit/webhooks', 'standardwebhooks', 'ky', 'svix', 'openai', 'stripe'];

/** How much longer a process of Node works that imports something and ends. */
export function measureImports({ withPeers }: { readonly withPeers: boolean }): Report {
  const imports: readonly Import[] = [
    { name: 'nothing', url: undefined },
    ...ours,
    // Looked up only here: the short form runs where the peers are not installed.
    ...(withPeers ? peers.map((name) => ({ name, url: import.meta.resolve(name) })) : []),
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
    method: `CPU time of fresh processes in turn, from start to end; a bare start of Node takes ${median(bare).toFixed(0)} ms here.`,
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

const tellCpuTime = `import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(1, String(user + system));
});`;

/** Milliseconds of CPU time: on a quiet machine as many as pass, and on a busy one no more. */
function startAndEnd(url: string | undefined): number {
  const program = url === undefined ? tellCpuTime : `${tellCpuTime}\nimport ${JSON.stringify(url)};`;
  const options = { encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    options,
  );
  if (status !== 0) throw new Error(`Importing ${url} failed: ${stderr}`);
  return Number(stdout) / 1_000;
}

function distribution(file: string): string {
  return new URL(`../../dist/${file}`, import.meta.url).href;
}
