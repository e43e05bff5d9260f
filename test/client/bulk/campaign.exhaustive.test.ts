import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkCheckpoint, IndexRange } from 'messaging-automation';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { answer, type Behaviour, type ReceivedRequest, startService } from '../support/service.js';
import type { RunOptions } from './campaign-process.js';
import { indexOfPhone } from './support.js';

const items = 2_000;
const hour = 3_600_000;
const beginning = Date.UTC(2026, 0, 1);
/** A window of the rate limit, and what it takes: the campaign meets its end ten times. */
const [window, perWindow] = [20_000, 200];

/** What stands in the way at the moment, once so many sends have been accepted. */
interface Trouble {
  readonly after: number;
  readonly kind: 'page' | 'bad gateway' | 'pause' | 'kill';
}

/** The service, and what it remembers. Its time is that of whoever asks. */
function createService() {
  const sent = new Map<number, number>();
  const service = {
    sent,
    accepted: 0,
    approvedAt: beginning + hour,
    quota: Number.POSITIVE_INFINITY,
    absent: (index: number) => index % 97 === 5,
    trouble: undefined as Trouble | undefined,
    /** Called when a request meets the trouble. */
    met: () => {},
    requestsAfterAbort: 0,
    /** How many were turned away in each window. */
    turnedAway: new Map<number, number>(),
    handle,
  };
  const taken = new Map<number, number>();
  let inTrouble = 0;

  function carryOut(index: number): void {
    sent.set(index, (sent.get(index) ?? 0) + 1);
    service.accepted += 1;
  }

  function handle(response: ServerResponse, request: ReceivedRequest, number: number): void {
    if (request.headers['x-aborted'] === 'true') service.requestsAfterAbort += 1;
    const { phone, templateId }: { phone: string; templateId: string } = JSON.parse(request.body);
    const index = indexOfPhone(phone);
    const reply =
      service.trouble !== undefined && service.accepted >= service.trouble.after
        ? inTroubleOf(service.trouble, index)
        : inOrder(index, templateId, Number(request.headers['x-time']));
    reply?.(response, request, number);
  }

  function inTroubleOf({ kind }: Trouble, index: number): Behaviour | undefined {
    inTrouble += 1;
    service.met();
    if (kind === 'page') return page(400);
    if (kind === 'pause') return answer(429, { error: { code: 'rate_limited' } }, { 'retry-after': '45' });
    // The gateway loses every second answer of the service; a killed process hears none.
    if (kind === 'kill' || inTrouble % 2 === 0) carryOut(index);
    return kind === 'kill' ? undefined : page(502);
  }

  function inOrder(index: number, templateId: string, now: number): Behaviour {
    const ofWindow = Math.floor(now / window);
    const before = taken.get(ofWindow) ?? 0;
    if (before >= perWindow) {
      service.turnedAway.set(ofWindow, (service.turnedAway.get(ofWindow) ?? 0) + 1);
      const retryAfter = String(Math.ceil(((ofWindow + 1) * window - now) / 1_000));
      return answer(429, { error: { code: 'rate_limited' } }, { 'retry-after': retryAfter });
    }
    taken.set(ofWindow, before + 1);
    if (templateId !== 'spring' || now < service.approvedAt)
      return answer(422, { error: { code: 'send_failed' } });
    if (service.absent(index)) return answer(404, { error: { code: 'not_found' } });
    if (service.accepted >= service.quota) return answer(402, { error: { code: 'quota_exceeded' } });
    carryOut(index);
    return answer(200, { success: true });
  }

  return service;
}

const page = (status: number) => answer(status, '<html><h1>No.</h1></html>', { 'content-type': 'text/html' });

interface RunReport {
  readonly lines: readonly Record<string, unknown>[];
  /** The last line. */
  readonly summary: Record<string, unknown>;
}

/** Starts a run; what was not printed whole, because it was killed, is left out. */
function startRun(options: RunOptions): { readonly child: ChildProcess; readonly ended: Promise<RunReport> } {
  const program = repositoryFile('test/client/bulk/campaign-process.ts');
  const env = { ...process.env, TSX_TSCONFIG_PATH: repositoryFile('tsconfig.json') };
  let child: ChildProcess | undefined;
  const ended = new Promise<RunReport>((resolve, reject) => {
    child = execFile(
      process.execPath,
      ['--import', 'tsx', program, JSON.stringify(options)],
      { cwd: repositoryFile('.'), env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error && error.signal !== 'SIGKILL') return reject(new Error(stderr));
        const lines = stdout.split('\n').slice(0, -1);
        const read = lines.map((line): Record<string, unknown> => JSON.parse(line));
        resolve({ lines: read, summary: read.at(-1) ?? {} });
      },
    );
  });
  if (child === undefined) throw new Error('The process was not started.');
  const started = child;
  onTestFinished(() => void started.kill('SIGKILL'));
  return { child: started, ended };
}

/** What is known after a campaign, from both of its ends. */
interface Evidence {
  readonly items: number;
  /** How often the service carried out the send of each item. */
  readonly sent: ReadonlyMap<number, number>;
  readonly checkpoint: BulkCheckpoint;
  /** The items that the last run named, each with its status and its reason. */
  readonly named: ReadonlyMap<number, { readonly status: string; readonly reason: string }>;
}

/** Compares the two ends: each item was sent once, or is named with its reason. */
function discrepancies({ items, sent, checkpoint, named }: Evidence): readonly string[] {
  const found: string[] = [];
  const done = numbersOf(checkpoint.done);
  const rejected = numbersOf(checkpoint.rejected);
  const unknown = numbersOf(checkpoint.unknown);
  for (let index = 0; index < items; index += 1) {
    const times = sent.get(index) ?? 0;
    const name = named.get(index);
    const lists = [done, rejected, unknown].filter((list) => list.has(index)).length;
    if (times > 1) found.push(`item ${index} was sent ${times} times`);
    if (lists !== 1) found.push(`item ${index} is in ${lists} lists of the checkpoint`);
    if (done.has(index) && times !== 1) found.push(`item ${index} is done, and was sent ${times} times`);
    if (rejected.has(index) && times > 0) found.push(`item ${index} is rejected, and was sent`);
    if (unknown.has(index) && name?.status !== 'unknown')
      found.push(`item ${index} is unknown, and nobody says so`);
    if (name?.reason === '') found.push(`item ${index} is named without a reason`);
  }
  return found;
}

function numbersOf(ranges: readonly IndexRange[]): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const [first, last] of ranges)
    for (let number = first; number <= last; number += 1) numbers.add(number);
  return numbers;
}

test('a campaign comes through all of it: each item is sent once, or named with its reason', {
  timeout: 240_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'campaign.json');
  const service = createService();
  const { baseUrl } = await startService(service.handle);
  let now = beginning;
  const start = (more: Partial<RunOptions> = {}) =>
    startRun({
      baseUrl,
      file,
      items,
      start: now,
      longestWait: Number.MAX_SAFE_INTEGER,
      retryRejected: false,
      ...more,
    });
  const toItsEnd = async (more?: Partial<RunOptions>) => {
    const report = await start(more).ended;
    now = Number(report.summary.now);
    return report;
  };

  // The template is not approved yet.
  expect((await toItsEnd()).summary).toMatchObject({ done: 0, stopped: 'template_rejected' });
  expect(service.accepted).toBe(0);

  // An hour later it is. The quota ends in the middle.
  now = beginning + hour;
  service.quota = 500;
  const untilQuota = (await toItsEnd()).summary;
  expect(untilQuota).toMatchObject({
    done: 500,
    unknown: 0,
    stopped: 'quota_exceeded',
    overall: { done: 500 },
  });

  // It is filled up. A gateway answers everything with a page of status 400.
  service.quota = Number.POSITIVE_INFINITY;
  service.trouble = { after: 700, kind: 'page' };
  expect((await toItsEnd()).summary).toMatchObject({
    done: 200,
    unknown: 0,
    stopped: 'service_unavailable',
    overall: { done: 700, unknown: 0 },
  });

  // And then with 502, behind which some sends are carried out.
  service.trouble = { after: 900, kind: 'bad gateway' };
  const badGateway = (await toItsEnd()).summary;
  expect(badGateway).toMatchObject({ stopped: 'service_unavailable' });
  const unknownByGateway = Number(badGateway.unknown);
  expect(unknownByGateway).toBeGreaterThanOrEqual(10);
  expect(unknownByGateway).toBeLessThan(10 + 8);

  // It is aborted while all its sends wait on Retry-After.
  service.trouble = { after: 1_100, kind: 'pause' };
  const aborted = start({ longestWait: 45_000 });
  service.met = () => void aborted.child.kill('SIGTERM');
  const abortedReport = await aborted.ended;
  expect(abortedReport.summary).toMatchObject({ stopped: 'aborted' });
  expect(abortedReport.lines.some(({ reason }) => String(reason).includes('429'))).toBe(true);
  expect(service.requestsAfterAbort).toBe(0);
  now = Number(abortedReport.summary.now);

  // It is killed while sends are on the wire.
  service.trouble = { after: 1_400, kind: 'kill' };
  const killed = start();
  service.met = () => void killed.child.kill('SIGKILL');
  await killed.ended;
  service.trouble = undefined;
  now += hour;

  // It goes to its end. Some contacts are not there.
  const last = await toItsEnd();
  expect(last.summary).toMatchObject({ stopped: 'at its end' });

  // They are created, and what was rejected is taken up again, and nothing else.
  service.absent = (index) => index === 5;
  const beforeMending = service.accepted;
  const mended = await toItsEnd({ retryRejected: true });
  expect(mended.summary).toMatchObject({ stopped: 'at its end', rejected: 1, percent: 100 });
  expect(service.accepted - beforeMending).toBe(mended.summary.done);

  const evidence: Evidence = {
    items,
    sent: service.sent,
    checkpoint: JSON.parse(await readFile(file, 'utf8')),
    named: new Map(
      mended.lines
        .slice(0, -1)
        .map(({ index, status, reason }) => [
          Number(index),
          { status: String(status), reason: String(reason) },
        ]),
    ),
  };
  expect(discrepancies(evidence)).toEqual([]);
  const unknown = [...evidence.named.values()].filter(({ status }) => status === 'unknown').length;
  expect(unknown).toBeLessThanOrEqual(unknownByGateway + 8);
  expect(mended.summary.overall).toMatchObject({ done: items - 1 - unknown, rejected: 1, unknown });
  // The rate limit turned away no more in one window than go out at once.
  expect(service.turnedAway.size).toBeGreaterThan(5);
  expect(Math.max(...service.turnedAway.values())).toBeLessThanOrEqual(8);
});
