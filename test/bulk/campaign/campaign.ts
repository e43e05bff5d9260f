import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessagingAutomation } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { createReferenceServer } from 'messaging-automation/server';
import { expect, onTestFinished } from 'vitest';
import { indices, phoneOf } from '../../client/bulk/items.js';
import { bundle } from '../../run/bundle.js';
import { Chance } from '../../soak/chance.js';
import { withResolvers } from '../../waiting.js';
import { campaign, endOf } from './items.js';
import { type Network, startNetwork } from './network.js';
import { type End, type Process, startProcess } from './processes.js';

/** In flight at once by default, so at most so many sends are unclear when a process is killed or the proxy fails. */
const concurrency = 8;

/**
 * Runs one job of sends in many processes with one checkpoint, through every trouble, over real sockets and a real disk. In
 * the end each item was sent once, or is named with its reason.
 *
 * @param kills - How many processes are killed.
 * @param seed - Chooses the troubles and the moments.
 */
export async function runCampaign(items: number, kills: number, seed: number): Promise<void> {
  const chance = new Chance(seed, 0);
  const server = createReferenceServer({
    quota: 2 * items,
    templates: [{ id: 'spring', body: 'It is {{1}}.' }],
    contacts: indices(items).flatMap((index) =>
      endOf(index) === 'no contact' ? [] : [{ phone: phoneOf(index) }],
    ),
  });
  onTestFinished(() => server.close());
  const { apiKey } = server;
  const network = await startNetwork(server, new Chance(seed, 1));
  const { folder, file, link } = await makePlace();
  const program = await bundle({ file: 'test/bulk/campaign/program.ts' });
  const start = (checkpoint = chance.pick([file, link]), blocks?: number) =>
    startProcess(program, { ...network.addresses, apiKey, checkpoint, items }, blocks);

  /** Sends a signal to processes at a random moment, unless they end before. */
  async function interrupt(
    signal: 'SIGKILL' | 'SIGTERM',
    ...processes: readonly Process[]
  ): Promise<readonly End[]> {
    const ends = Promise.all(processes.map(({ end }) => end));
    await manyMoments(chance.between(1, 150), network, folder, ends);
    for (const { kill } of processes) kill(signal);
    return ends;
  }

  /** Starts two processes at once, one of them by the link. One sends nothing, and the other is killed. */
  async function killOneOfTwo(): Promise<readonly End[]> {
    network.mend();
    const release = network.hold();
    const both = [start(file), start(link)];
    const refused = expect.stringContaining('is used by another run. Nothing was sent.');
    expect(await Promise.race(both.map(({ end }) => end))).toEqual({ refused });
    release();
    return interrupt('SIGKILL', ...both);
  }

  /** Runs a process on a disk that has so little left. */
  async function fillDisk(kilobytes: number): Promise<End> {
    const { size } = await stat(file);
    return start(link, Math.ceil(size / 512) + 2 * kilobytes).end;
  }

  expect(await interrupt('SIGTERM', start())).toMatchObject([{ stopped: 'aborted' }]);
  expect(await fillDisk(1)).toMatchObject({ stopped: 'checkpoint_failed', code: 'EFBIG' });
  network.fail(Number.POSITIVE_INFINITY);
  expect(await start().end).toMatchObject({ stopped: 'service_unavailable', done: 0 });
  network.mend();

  network.isTroubled = true;
  const ends: End[] = [];
  const killsLeft = () => kills - ends.filter((end) => end === 'killed').length;
  while (killsLeft() > 0) {
    const two = killsLeft() === 1 || killsLeft() === Math.ceil(kills / 2);
    ends.push(...(two ? await killOneOfTwo() : await interrupt('SIGKILL', start())));
    // The last two processes have to take over a lock that was left behind. A person deletes the others.
    if (killsLeft() !== 1) await rm(`${file}.lock`, { force: true });
    if (killsLeft() % 5 === 4) ends.push(await fillDisk(chance.between(0, 3)));
    if (killsLeft() % 5 === 2) ends.push(...(await interrupt('SIGTERM', start())));
  }
  const isStopped = (end: End) => typeof end === 'object' && 'stopped' in end;
  for (let end = await start().end; isStopped(end); end = await start().end) ends.push(end);
  network.isTroubled = false;
  network.mend();
  expect(await start().end).not.toHaveProperty('stopped'); // takes up what did not reach the service
  expect(await readdir(folder)).toEqual(['job.json']);

  const sent = (await server.journal.sends()).map(({ phone }) => phone);
  const sentTo = new Set(sent);
  expect(sent).toHaveLength(sentTo.size);
  const { baseUrl } = await server.listen();
  const reasons = await reasonsOf(new MessagingAutomation({ apiKey, baseUrl }), items, link);
  const expected = {
    done: 'done',
    'no contact': 'rejected',
    'no variables': 'rejected',
    'no phone': 'not_sent',
  };
  for (const index of indices(items)) {
    const reason = reasons.get(index) ?? 'done';
    if (reason === 'unknown') continue;
    expect([index, reason]).toEqual([index, expected[endOf(index)]]);
    expect([index, sentTo.has(phoneOf(index))]).toEqual([index, reason === 'done']);
  }
  const unknown = [...reasons.values()].filter((reason) => reason === 'unknown').length;
  const { outages, unclear } = network.troubles;
  expect(unknown).toBeLessThanOrEqual(unclear + concurrency * (1 + outages + ends.length));
}

/** A folder for the checkpoint, its path there, and a link to it from elsewhere. */
async function makePlace() {
  const home = await mkdtemp(join(tmpdir(), 'campaign-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const folder = join(home, 'disk');
  const [file, link] = [join(folder, 'job.json'), join(home, 'link.json')];
  await mkdir(folder);
  await symlink(file, link);
  return { folder, file, link };
}

/** Resolves after so many moments: of requests, and of changes in a folder. At the latest when the end has come. */
async function manyMoments(
  count: number,
  network: Network,
  folder: string,
  end: Promise<unknown>,
): Promise<void> {
  let left = count;
  const { promise, resolve } = withResolvers();
  network.onMoment = () => {
    left -= 1;
    if (left <= 0) resolve();
  };
  const watcher = watch(folder, () => network.onMoment());
  await Promise.race([promise, end]);
  watcher.close();
  network.onMoment = () => {};
}

/** Runs the job once more, which names the reason of each item that is not done. */
async function reasonsOf({ transactional }: MessagingAutomation, items: number, path: string) {
  const run = transactional.sendEach(campaign(items), {
    checkpoint: fileCheckpoint(path),
    retryRejected: true,
    maxConsecutiveFailures: Number.POSITIVE_INFINITY,
  });
  const reasons = new Map<number, string>();
  for await (const outcome of run)
    reasons.set(outcome.index, outcome.status === 'done' ? 'sent' : outcome.error.outcome);
  return reasons;
}
