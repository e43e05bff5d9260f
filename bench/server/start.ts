import { spawnSync } from 'node:child_process';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Row, Section } from '../report/section.js';

const ours = JSON.stringify(new URL('../../dist/server.js', import.meta.url).href);
/** A server that responds to one request from a socket, and stays. */
const listening = `
const { get } = await import('node:http');
const responded = (url, headers) => new Promise((resolve, reject) =>
  get(url, { headers }, (response) => response.resume().on('end', resolve)).on('error', reject));
`;

/** A program to start: its text runs in a fresh process. */
export interface Program {
  readonly name: string;
  readonly text: () => string;
  readonly target?: number;
  readonly ours?: boolean;
}

const starts: readonly Program[] = [
  { name: 'nothing', text: () => '' },
  {
    name: 'import, create, serve fetch',
    text: () => `
const { createReferenceServer } = await import(${ours});
const server = createReferenceServer();
const headers = { authorization: 'Bearer ' + server.apiKey };
const response = await server.fetch(new Request('http://localhost/api/v1/templates', { headers }));
if (response.status !== 200) throw new Error(await response.text());
await response.text();`,
    target: 20,
    ours: true,
  },
  {
    name: 'import and create',
    text: () => `const { createReferenceServer } = await import(${ours}); createReferenceServer();`,
    ours: true,
  },
  {
    name: 'import, create, listen',
    text: () =>
      `const { createReferenceServer } = await import(${ours}); await createReferenceServer().listen();`,
    ours: true,
  },
  { name: 'import', text: () => `await import(${ours});`, ours: true },
  {
    name: 'emulate, create and listen',
    text: () => `
const { createEmulator } = await import(${peer('emulate')});
await createEmulator({ service: 'resend', port: 0 });`,
  },
  {
    name: 'a Request and a Response',
    text: () => `new Request('http://localhost'); await new Response('{}').text();`,
  },
  {
    name: 'bare Hono, serve fetch',
    text: () => `
const { Hono } = await import(${peer('hono')});
const hono = new Hono().get('/', (context) => context.json({}));
await (await hono.fetch(new Request('http://localhost/'))).text();`,
  },
];

const servers: readonly Program[] = [
  starts[0] ?? { name: 'nothing', text: () => '' },
  {
    name: 'reference server',
    text: () => `${listening}
const { createReferenceServer } = await import(${ours});
const server = createReferenceServer();
const { baseUrl } = await server.listen({ port: 0 });
await responded(baseUrl + '/v1/templates', { authorization: 'Bearer ' + server.apiKey });`,
    ours: true,
  },
  {
    name: 'bare Hono',
    text: () => `${listening}
const { Hono } = await import(${peer('hono')});
const { serve } = await import(${peer('@hono/node-server')});
const hono = new Hono().get('/', (context) => context.json({}));
const port = await new Promise((resolve) =>
  serve({ fetch: hono.fetch, hostname: '127.0.0.1', port: 0 }, (address) => resolve(address.port)));
await responded('http://127.0.0.1:' + port + '/');`,
  },
];

/** What it costs to start a server, to make a workspace, and to hold a server. */
export async function measureStart(short: boolean): Promise<Report> {
  const rounds = short ? 5 : 21;
  const cpu = startInTurns('Cold starts', starts, rounds, 'cpu');
  const memory = startInTurns('Servers that listen', servers, short ? 3 : 7, 'memory');
  const bare = median(cpu[0] ?? []);
  return {
    id: 'server-start',
    method:
      `CPU time of fresh processes in turn, from start to end; a bare start of Node takes ${bare.toFixed(0)} ms here. ` +
      'A Request and a Response make Node load its fetch, which whoever calls fetch pays in any case. A workspace is the ' +
      'mean over 1,000, the last of which has responded to a request. Memory is resident, after one response from a socket.',
    sections: [
      moreThanBare('Cold start', 'ms', starts, cpu, 'ms in all'),
      besideEmulate(cpu),
      await measureWorkspaces(rounds),
      moreThanBare('A process with a server that listens', 'MB', servers, memory, 'MB in all'),
    ],
  };
}

function moreThanBare(
  title: string,
  unit: string,
  programs: readonly Program[],
  figures: readonly (readonly number[])[],
  inAll: string,
): Section {
  const [bare = []] = figures;
  return {
    title,
    unit: `${unit} more than bare Node`,
    better: 'less',
    rows: programs.slice(1).map(({ name, target, ours = false }, index): Row => {
      const own = figures[index + 1] ?? [];
      return {
        name,
        value: median(own.map((figure, round) => figure - (bare[round] ?? Number.NaN))),
        measured: `${median(own).toFixed(0)} ${inAll}`,
        ours,
        target,
      };
    }),
  };
}

/** The start of a server that listens, by the start of another emulator of APIs in the same round. */
function besideEmulate(cpu: readonly (readonly number[])[]): Section {
  const figuresOf = (name: string) => cpu[starts.findIndex((start) => start.name === name)] ?? [];
  const bare = figuresOf('nothing');
  const [own, theirs] = ['import, create, listen', 'emulate, create and listen'].map((name) =>
    figuresOf(name).map((figure, round) => figure - (bare[round] ?? Number.NaN)),
  );
  const ratios = (own ?? []).map((figure, round) => figure / (theirs?.[round] ?? Number.NaN));
  return {
    title: 'Cold start of a server that listens',
    unit: 'CPU time more than bare Node, × emulate',
    better: 'less',
    rows: [
      { name: 'emulate', value: 1, measured: `${median(theirs ?? []).toFixed(0)} ms`, ours: false },
      {
        name: 'reference server',
        value: median(ratios),
        measured: `${median(own ?? []).toFixed(0)} ms`,
        ours: true,
        target: 0.8,
      },
    ],
  };
}

async function measureWorkspaces(rounds: number): Promise<Section> {
  const text = `
const { createReferenceServer } = await import(${ours});
const server = createReferenceServer();
const response = async ({ apiKey }) => {
  const headers = { authorization: 'Bearer ' + apiKey };
  return (await server.fetch(new Request('http://localhost/api/v1/templates', { headers }))).text();
};
await response(server);
const before = process.cpuUsage();
let last;
for (let made = 0; made < 1000; made += 1) last = server.workspace();
await response(last);
const { user, system } = process.cpuUsage(before);
tell((user + system) / 1_000_000);`;
  const means = Array.from({ length: Math.ceil(rounds / 3) }, () => run(text));
  return {
    title: 'A fresh workspace',
    unit: 'ms of CPU time',
    better: 'less',
    rows: [
      {
        name: 'server.workspace()',
        value: median(means),
        measured: `${(median(means) * 1_000).toFixed(0)} µs`,
        ours: true,
        target: 1,
      },
    ],
  };
}

/** The figures of each program, round by round. */
export function startInTurns(
  title: string,
  programs: readonly Program[],
  rounds: number,
  figure: keyof typeof tellers,
): readonly (readonly number[])[] {
  const figures = programs.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1) {
    showProgress(title, round + 1, rounds + 1);
    for (let step = 0; step < programs.length; step += 1) {
      const index = (step + round + 1) % programs.length;
      const own = run(`${programs[index]?.text()}\n${tellers[figure]}`);
      if (round >= 0) figures[index]?.push(own); // the first only fills the caches of files
    }
  }
  showProgress(title, 1, 1);
  return figures;
}

const tellers = {
  /** Milliseconds of CPU time: on a quiet machine as many as pass, and on a busy one no more. */
  cpu: 'const used = process.cpuUsage(); tell((used.user + used.system) / 1_000);',
  memory: 'tell(process.memoryUsage.rss() / 1_000_000);',
} as const;

/** Runs a program in a fresh process and returns the figure that it tells. */
function run(program: string): number {
  const text = `import { writeSync } from 'node:fs';
const tell = (figure) => { writeSync(1, String(figure)); process.exit(); };
${program}`;
  const options = { encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], options);
  if (stdout === '' || !Number.isFinite(Number(stdout)))
    throw new Error(`A program told no figure: ${stderr}`);
  return Number(stdout);
}

/** Looked up only when it is needed: the peers are installed by this benchmark alone. */
function peer(name: string): string {
  return JSON.stringify(import.meta.resolve(name));
}
