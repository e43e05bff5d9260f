import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';

const rounds = 5;
const rowsOfRound = 10_000;
const rowsForMemory = 200_000;
const commandLine = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const env = { ...process.env, MESSAGING_AUTOMATION_API_KEY: 'test_key' };

/** How fast `contacts import` is beside `upsertMany` with the same rows, and whether it grows. */
export async function measureContactsImport(): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'contacts-import-'));
  const served = await serve();
  try {
    const alone: number[] = [];
    const imported: number[] = [];
    const file = await tableOf(folder, rowsOfRound);
    for (let round = 0; round < rounds; round += 1) {
      showProgress('Import of contacts', round, rounds + 1);
      const ofRound = async () => {
        const { milliseconds } = await importFile(file, served.url);
        imported.push(rowsOfRound / (milliseconds / 1_000));
      };
      // The contacts are there from the first on: whoever begins takes turns.
      if (round % 2 === 1) await ofRound();
      alone.push(await rateOfUpserts(served.url));
      if (round % 2 === 0) await ofRound();
    }
    showProgress('Import of contacts', rounds, rounds + 1);
    const { sizes, milliseconds } = await importFile(await tableOf(folder, rowsForMemory), served.url);
    showProgress('Import of contacts', 1, 1);
    return reportOf(alone, imported, sizes, milliseconds);
  } finally {
    served.child.kill();
    await rm(folder, { recursive: true });
  }
}

function reportOf(
  alone: readonly number[],
  imported: readonly number[],
  sizes: readonly number[],
  milliseconds: number,
): Report {
  const tenth = Math.ceil(sizes.length / 10);
  const parts = Array.from({ length: 10 }, (_, part) =>
    median(sizes.slice(part * tenth, (part + 1) * tenth)),
  ).filter(Number.isFinite);
  const [, second = Number.NaN] = parts;
  const last = parts.at(-1) ?? Number.NaN;
  return {
    id: 'contacts-import',
    method:
      `Of ${rowsOfRound.toLocaleString('en')} rows at a server that serve runs, in turns: the command from its start to its ` +
      'end, and the call alone in a process that has started. The medians of the rounds, in time on the wall. Memory is what ' +
      `ps says of the command once a second, in an import of ${rowsForMemory.toLocaleString('en')} rows ` +
      `(${Math.round(milliseconds / 1_000)} s): the medians of its tenths.`,
    sections: [
      {
        title: 'Rate of contacts import',
        unit: '× upsertMany alone',
        better: 'more',
        rows: [
          {
            name: 'contacts import',
            value: median(imported.map((rate, round) => rate / (alone[round] ?? Number.NaN))),
            measured: `${median(imported).toFixed(0)} rows/s; upsertMany ${median(alone).toFixed(0)}`,
            shown: true,
            ours: true,
            target: 0.8,
          },
        ],
      },
      {
        title: 'Memory of contacts import',
        unit: 'resident in its last tenth, × in its second',
        better: 'less',
        rows: [
          {
            name: `${rowsForMemory.toLocaleString('en')} rows`,
            value: last / second,
            measured: `MB: ${parts.map((size) => size.toFixed(0)).join(' · ')}`,
            shown: true,
            ours: true,
            target: 1.1,
          },
        ],
      },
    ],
  };
}

async function serve(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(
    process.execPath,
    [commandLine, 'serve', '--port', '0', '--json', '--api-key', 'test_key'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    return { child, url: JSON.parse(line).url };
  }
  throw new Error('serve ended before it was ready.');
}

const contactOf = (row: number) => ({ phone: `+1555${1_000_000 + row}`, name: `Ada ${row}`, city: 'London' });

async function tableOf(folder: string, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, row) => Object.values(contactOf(row)).join(','));
  const file = join(folder, `${rows}.csv`);
  await writeFile(file, `phone,name,city\n${lines.join('\n')}\n`);
  return file;
}

/** Rows a second. */
async function rateOfUpserts(url: string): Promise<number> {
  await using upserting = await startProcess(new URL('upsert-process.ts', import.meta.url));
  const rows = Array.from({ length: rowsOfRound }, (_, row) => {
    const { phone, ...properties } = contactOf(row);
    return { phone, properties };
  });
  const { done, milliseconds } = await upserting.ask('upsert', { baseUrl: `${url}/api`, rows });
  if (done !== rowsOfRound) throw new Error(`${done} of ${rowsOfRound} contacts were upserted.`);
  return rowsOfRound / ((milliseconds ?? Number.NaN) / 1_000);
}

/** Imports a file; gives the size of the process in MB, once a second, and how long it took. */
async function importFile(file: string, url: string) {
  const start = performance.now();
  const child = spawn(process.execPath, [commandLine, 'contacts', 'import', file, '--url', url], {
    env,
    stdio: 'ignore',
  });
  const exit = once(child, 'exit');
  const ended = new AbortController();
  const sampling = sizesOf(child.pid, ended.signal);
  const [code] = await exit;
  const milliseconds = performance.now() - start;
  ended.abort();
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  return { milliseconds, sizes: await sampling };
}

async function sizesOf(pid: number | undefined, ended: AbortSignal): Promise<readonly number[]> {
  const sizes: number[] = [];
  while (!ended.aborted) {
    await wait(1_000, undefined, { signal: ended }).catch(() => {});
    const printed = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => undefined);
    if (printed !== undefined) sizes.push(Number(printed.stdout) / 1_024);
  }
  return sizes;
}
