import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Row } from '../report/section.js';

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** How long changes come, and with them writes of the file, in milliseconds. */
const period = 5_000;

/** The longest that a request waits while `serve --state` writes its file, by the number of contacts in that. */
export async function measureKeptState(short: boolean): Promise<Report> {
  const sizes = short ? [100, 10_000] : [100, 100_000];
  const rounds = short ? 2 : 5;
  const rows: Row[] = [];
  for (const [index, size] of sizes.entries()) {
    const found: (readonly [longest: number, megabytes: number])[] = [];
    for (let round = 0; round < rounds; round += 1) {
      showProgress('A state that is kept in a file', index * rounds + round, sizes.length * rounds);
      found.push(await longestWait(size));
    }
    rows.push({
      name: `${size.toLocaleString('en')} contacts`,
      value: Math.min(...found.map(([longest]) => longest)),
      measured: `a file of ${median(found.map(([, megabytes]) => megabytes)).toFixed(1)} MB`,
      shown: true,
      ours: true,
      target: 50,
    });
  }
  showProgress('A state that is kept in a file', 1, 1);
  return {
    id: 'server-state',
    method:
      'The longest response to GET /health in five seconds in which one contact changes every tenth of a second, over a ' +
      'socket of the same machine. The least of the rounds, because other work of the machine adds to it.',
    sections: [{ title: 'The longest wait beside serve --state', unit: 'ms', better: 'less', rows }],
  };
}

async function longestWait(size: number): Promise<readonly [longest: number, megabytes: number]> {
  const folder = await mkdtemp(join(tmpdir(), 'kept-state-'));
  const [seed, file] = [join(folder, 'seed.json'), join(folder, 'state.json')];
  const contacts = Array.from({ length: size }, (_, index) => ({
    phone: `+1555${10_000_000 + index}`,
    properties: { firstName: `Ada ${index}`, city: 'Paris', tags: ['new', 'vip'], orders: index },
  }));
  await writeFile(seed, JSON.stringify({ contacts }));
  const words = ['serve', '--json', '--port', '0', '--api-key', 'key', '--seed', seed, '--state', file];
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const longest = await longestResponse(JSON.parse(line).url);
    return [longest, (await stat(file)).size / 1_000_000];
  } finally {
    child.kill();
    await exit;
    await rm(folder, { recursive: true });
  }
}

async function longestResponse(url: string): Promise<number> {
  const headers = { Authorization: 'Bearer key', 'Content-Type': 'application/json' };
  const end = performance.now() + period;
  const change = async () => {
    for (let count = 0; performance.now() < end; count += 1) {
      const body = JSON.stringify({ phone: '+15551234567', properties: { count } });
      await fetch(`${url}/api/v1/contacts`, { method: 'POST', headers, body });
      await wait(100);
    }
  };
  const changing = change();
  let longest = 0;
  while (performance.now() < end) {
    const start = performance.now();
    await (await fetch(`${url}/health`)).text();
    longest = Math.max(longest, performance.now() - start);
    await wait(2);
  }
  await changing;
  return longest;
}
