import autocannon from 'autocannon';
import { startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Row, Section } from '../report/section.js';
import { apiKey } from './processes/api-key.js';

const connections = 32;

interface Contestant {
  readonly name: string;
  readonly program: string;
  /** Where the operation lies. */
  readonly path: string;
  readonly ours?: boolean;
}

const contestants: readonly Contestant[] = [
  { name: 'bare Hono', program: 'bare-hono.ts', path: '/api/v1/contacts' },
  { name: 'reference server', program: 'reference-server.ts', path: '/api/v1/contacts', ours: true },
  { name: 'Prism', program: 'prism.ts', path: '/v1/contacts' },
  { name: 'json-server', program: 'json-server.ts', path: '/api/v1/contacts' },
];

interface ContactTurn {
  /** Requests responded in a second. */
  readonly rate: number;
  /** Microseconds of CPU time that the server's process used for one request. */
  readonly cpu: number;
}

/** How many contacts a server upserts in a second, over a socket, beside bare Hono and two other mock servers. */
export async function measureContacts(short: boolean): Promise<Report> {
  const rounds = short ? 2 : 5;
  const seconds = short ? 1 : 3;
  const racing = short ? contestants.slice(0, 2) : contestants;
  const turns = racing.map((): ContactTurn[] => []);
  for (let round = 0; round < rounds; round += 1) {
    showProgress('Upserts over a socket', round, rounds);
    for (let step = 0; step < racing.length; step += 1) {
      const index = (step + round) % racing.length;
      const contestant = racing[index];
      if (contestant) turns[index]?.push(await upsertsOverASocket(contestant, seconds));
    }
  }
  showProgress('Upserts over a socket', 1, 1);
  const toSection = (
    title: string,
    unit: string,
    ratio: (own: ContactTurn, bare: ContactTurn) => number,
    note: (turns: ContactTurn[]) => string,
  ): Section => ({
    title,
    unit,
    better: 'more',
    rows: racing.map(({ name, ours = false }, index): Row => {
      const own = turns[index] ?? [];
      const ratios = own.map((turn, round) => ratio(turn, turns[0]?.[round] ?? turn));
      return {
        name,
        value: median(ratios),
        measured: note(own),
        shown: true,
        ours,
        target: ours ? 0.6 : undefined,
      };
    }),
  });
  return {
    id: 'server',
    method:
      `Each server in a fresh process for each of its turns, over ${connections} connections from another process, after a ` +
      'second to warm up; the median of the ratios to bare Hono of the same round. The upserts go round 1,000 contacts. ' +
      'Bare Hono puts them into a Map and checks nothing; Prism checks them and makes a response up; json-server adds a ' +
      'contact each time. Where the load wants as much of the machine as the server, requests per second flatter the ' +
      'slower one; CPU time does not.',
    sections: [
      toSection(
        'POST /v1/contacts over a socket',
        'requests per second, × bare Hono',
        (own, bare) => own.rate / bare.rate,
        (own) => `${Math.round(median(own.map(({ rate }) => rate))).toLocaleString('en')} requests/s`,
      ),
      toSection(
        "The same in the server's CPU time",
        'requests per second of CPU time, × bare Hono',
        (own, bare) => bare.cpu / own.cpu,
        (own) => `${median(own.map(({ cpu }) => cpu)).toFixed(0)} µs each`,
      ),
    ],
  };
}

/** One turn of a contestant, whose process has this environment. */
export async function upsertsOverASocket(
  { name, program, path }: Contestant,
  seconds: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<ContactTurn> {
  await using server = await startProcess(new URL(`processes/${program}`, import.meta.url), { environment });
  const options = { url: `http://127.0.0.1:${server.ready.port}`, connections, requests: upserts(path) };
  await autocannon({ ...options, duration: 1 });
  const before = await server.ask('cpu');
  const { requests, duration, non2xx, errors } = await autocannon({ ...options, duration: seconds });
  const after = await server.ask('cpu');
  if (non2xx + errors > 0) throw new Error(`${name} did not take ${non2xx + errors} of the upserts.`);
  return {
    rate: requests.total / duration,
    cpu: ((after.cpu ?? Number.NaN) - (before.cpu ?? Number.NaN)) / requests.total,
  };
}

function upserts(path: string): autocannon.Request[] {
  return Array.from({ length: 1_000 }, (_, index) => ({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      phone: `+1555${1_000_000 + index}`,
      properties: { firstName: `Ada ${index}`, visits: index },
    }),
  }));
}
