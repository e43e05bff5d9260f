import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createReferenceServer } from '../../dist/server.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Row, Section } from '../report/section.js';
import { type Program, startInTurns } from './start.js';

const dist = new URL('../../dist/', import.meta.url);
const ours = JSON.stringify(new URL('server.js', dist).href);

/** The page that `serve` shows: its weight, how soon it shows something, and what it costs. */
export async function measureWorkbench(short: boolean): Promise<Report> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    return {
      id: 'server-workbench',
      method:
        "Chromium, headless, on the same machine. An entry is visible when its row is in the document; its own time is the server's. " +
        'The costs are CPU time of fresh processes in turn.',
      sections: [
        await weight(),
        await firstView(browser, short ? 3 : 9),
        ...(await busyPage(browser, short ? 2 : 10)),
        costs(short ? 5 : 21),
      ],
    };
  } finally {
    await browser.close();
  }
}

async function weight(): Promise<Section> {
  const folder = new URL('workbench/', dist);
  const names = (await readdir(folder)).filter((name) => /^(?:main\.|chunk-)/.test(name));
  const files = await Promise.all(names.map((name) => readFile(new URL(name, folder))));
  const bytes = files.reduce((sum, file) => sum + file.byteLength, 0);
  return section('Weight of the page', 'kB, gzipped', [
    { name: 'JS and CSS', value: bytes / 1_000, measured: `${bytes} bytes`, ours: true, target: 45 },
  ]);
}

/** From the navigation to the first paint: in a new browser context, of a server that has served nothing yet. */
async function firstView(browser: Browser, rounds: number): Promise<Section> {
  const bare = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><h2>Nothing has happened yet</h2>'),
  ).listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const bareUrl = `http://127.0.0.1:${Object(bare.address()).port}`;
  const times: number[] = [];
  const bareTimes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    showProgress('First view', round, rounds);
    const words = ['serve', '--port', '0', '--json', '--api-key', 'bench_key'];
    const serve = spawn(process.execPath, [fileURLToPath(new URL('cli.js', dist)), ...words]);
    const [line] = await once(createInterface(serve.stdout), 'line');
    bareTimes.push(await firstPaint(browser, bareUrl));
    times.push(await firstPaint(browser, JSON.parse(String(line)).page));
    serve.kill();
    await once(serve, 'exit');
  }
  showProgress('First view', 1, 1);
  bare.close();
  const row = (name: string, figures: readonly number[]): Row => ({
    name,
    value: median(figures) / 1_000,
    ours: false,
    measured: `${Math.min(...figures).toFixed(0)} to ${Math.max(...figures).toFixed(0)} ms`,
  });
  return section('First view after serve is ready', 's', [
    { ...row('workbench', times), ours: true, target: 0.5 },
    row('a page with one heading', bareTimes),
  ]);
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
  const paint = await page.waitForFunction(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  );
  const time = Number(await paint.jsonValue());
  await context.close();
  return time;
}

const entriesBefore = 20_000;
const entriesPerSecond = 50;

/** A page with a full journal while entries come. */
async function busyPage(browser: Browser, seconds: number): Promise<readonly Section[]> {
  await using server = createReferenceServer({ workbench: true, apiKey: 'bench_key' });
  const { url } = await server.listen({ port: 0 });
  const write = (count: number) =>
    server.simulate.inboundMessage({ phone: `+1555123${4_000 + (count % 20)}`, body: `message ${count}` });
  for (let count = 0; count < entriesBefore; count += 1) await write(count);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript({ path: fileURLToPath(new URL('processes/watched-page.js', import.meta.url)) });
  await page.goto(url);
  await page.getByLabel('API key').fill('bench_key');
  await page.keyboard.press('Enter');
  await page.getByText('10,000', { exact: true }).waitFor();
  const watched = await watch(page);
  for (let count = 0; count < seconds * entriesPerSecond; count += 1) {
    showProgress('A busy page', count, seconds * entriesPerSecond);
    await write(count);
    await pause(1_000 / entriesPerSecond);
  }
  showProgress('A busy page', 1, 1);
  const { delays, frames, nodes } = await watched();
  await page.close();
  const busy = `${entriesBefore.toLocaleString('en')} entries, ${entriesPerSecond} a second`;
  return [
    section(`From an entry to its row (${busy})`, 'ms', [
      {
        name: 'p95',
        value: percentile(delays, 95),
        measured: `p50 ${percentile(delays, 50).toFixed(0)} ms of ${delays.length}`,
        ours: true,
        target: 50,
      },
    ]),
    section(`Smoothness (${busy})`, 'ms a frame', [
      {
        name: 'p95',
        value: percentile(frames, 95),
        measured: `${Math.max(...frames).toFixed(0)} ms at most`,
        ours: true,
        target: 34,
      },
    ]),
    section(`Size of the document (${busy})`, 'elements', [
      { name: 'workbench', value: nodes, measured: 'at most', ours: true, target: 2_500 },
    ]),
  ];
}

interface Watched {
  readonly delays: readonly number[];
  readonly frames: readonly number[];
  readonly nodes: number;
}

/** Watches the page from within. The returned function gives what it saw. */
async function watch(page: Page): Promise<() => Promise<Watched>> {
  const handle = await page.evaluateHandle<Watched>('watchPage()');
  return () => handle.jsonValue();
}

/** What the page costs a server that nobody looks at. */
function costs(rounds: number): Section {
  const program = (options: string): Program => ({
    name: options,
    text: () =>
      `const { createReferenceServer } = await import(${ours}); await createReferenceServer(${options}).listen();`,
  });
  const [without = [], withPage = []] = startInTurns(
    'Servers with a page',
    [program('{}'), program('{ workbench: true }')],
    rounds,
    'cpu',
  );
  const ratios = withPage.map((figure, round) => figure / (without[round] ?? Number.NaN));
  return section('Start of a server with the page that nobody opens', '× without it', [
    {
      name: 'workbench: true',
      value: median(ratios),
      measured: `${median(withPage).toFixed(0)} ms, ${median(without).toFixed(0)} without`,
      ours: true,
      target: 1.05,
    },
  ]);
}

function section(title: string, unit: string, rows: readonly Row[]): Section {
  return { title, unit, better: 'less', rows };
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
