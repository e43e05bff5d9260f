import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, Page, ReferenceServer } from 'messaging-automation/server';
import { apiKey, ServedVersion, tryToServe } from './served-version.js';
import type { Story, StoryGround } from './story.js';
import { entryOf, type PackageVersion } from './versions.js';
import { phone, seed } from './work-in-flight.js';

/** What tests of the earlier version have kept: the file of a failed test, and a snapshot. */
export const keptByTests: Story = async (ground) => {
  await showFailedTest(ground);
  await restoreSnapshot(ground);
};

async function showFailedTest({ upgrade, folder, atEnd, note }: StoryGround): Promise<void> {
  const { earlier, current, from } = upgrade;
  const kind = 'The file of a failed test';
  if (from === '0.1.0') {
    note(kind, 'stopped', [{ before: 'files', now: '0.1.0 writes none', expected: '0.1.0 writes none' }]);
    return;
  }
  const file = await failTest(earlier, join(folder, 'earlier'));
  const before = await readFile(file, 'utf8');
  const server = await ServedVersion.start(current, ['--state', file]);
  atEnd(() => server.end('SIGKILL'));
  note(kind, 'stopped', [
    {
      before: 'a delivery that was refused once, and a journey run that waits',
      now: await workIn(server),
      expected: 'a delivery pending after 1 attempt, a run waiting',
    },
    {
      before: 'the file, after serve has shown it',
      now: (await readFile(file, 'utf8')) === before ? 'as it was' : 'changed',
      expected: 'as it was',
    },
  ]);
  const ofCurrent = await failTest(current, join(folder, 'current'));
  note(kind, 'downgrade', [
    {
      before: 'the file as this version writes it',
      now: await tryToServe(earlier, folder, ['--state', ofCurrent]),
      expected: 'failedTestError is not a known field',
    },
  ]);
}

/** Lets a test fail in a version, and resolves with the file that it leaves. */
async function failTest(version: PackageVersion, directory: string): Promise<string> {
  const { keepOnFailure } = await entryOf(version, 'server');
  const server = await serverAtWork(version);
  const failing = async () => {
    throw new Error('It is not as expected.');
  };
  await keepOnFailure(server, failing, { name: 'orders', directory })().catch(() => {});
  await server.close();
  const [name = ''] = await readdir(directory);
  return join(directory, name);
}

async function restoreSnapshot({ upgrade, note }: StoryGround): Promise<void> {
  const { earlier, current } = upgrade;
  const kind = 'A snapshot of a workspace';
  const restored = await restoreAt(current, await snapshotOf(earlier));
  note(kind, 'stopped', [
    {
      before: 'a delivery that was refused once and is due again in 10 s',
      now: restored,
      expected: 'delivered by attempt 2, sent "How was order 1?"',
    },
  ]);
  note(kind, 'downgrade', [
    {
      before: 'a snapshot of this version',
      now: await restoreAt(earlier, await snapshotOf(current)),
      expected: 'delivered by attempt 2, sent "How was order 1?"',
    },
  ]);
}

/** Takes a snapshot of a workspace at work, as a program stores it. */
async function snapshotOf(version: PackageVersion): Promise<string> {
  const server = await serverAtWork(version);
  const snapshot = JSON.stringify(await server.snapshot());
  await server.close();
  return snapshot;
}

/** Restores a snapshot, lets a day go by, and says what became of the work in it. */
async function restoreAt(version: PackageVersion, snapshot: string): Promise<string> {
  const { createReferenceServer } = await entryOf(version, 'server');
  const server = createReferenceServer({ clock: 'frozen', fetch: receiverWith(204) });
  await server.restore(JSON.parse(snapshot));
  await server.clock.advance('1d');
  const [delivery] = await server.journal.deliveries();
  const sends = await server.journal.sends();
  await server.close();
  const texts = sends.map(({ text }) => `"${text}"`).join(', ');
  return `${delivery?.status} by attempt ${delivery?.attempts.length}, sent ${texts}`;
}

/** A server with a delivery that was refused once, and a journey run that waits. */
async function serverAtWork(version: PackageVersion): Promise<ReferenceServer> {
  const { createReferenceServer } = await entryOf(version, 'server');
  const server = createReferenceServer({ ...seed, apiKey, fetch: receiverWith(500) });
  await server.client.contacts.upsert({ phone });
  await server.client.webhooks.create({ url: 'https://example.com/webhooks', events: ['message.received'] });
  await server.client.events.track({ event: 'order_placed', phone, properties: { order: 'order 1' } });
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  await server.settled();
  return server;
}

async function workIn(server: ServedVersion): Promise<string> {
  const [delivery] = (await server.control<Page<Delivery>>('/deliveries')).data;
  const [run] = (await server.control<Page<{ readonly status: string }>>('/journey-runs')).data;
  return `a delivery ${delivery?.status} after ${delivery?.attempts.length} attempt, a run ${run?.status}`;
}

function receiverWith(status: number): () => Promise<Response> {
  return async () => new Response(null, { status });
}
