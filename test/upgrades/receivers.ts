import type { DedupeStore, WebhookJob } from 'messaging-automation/webhooks';
import type { Pool } from 'pg';
import { withResolvers } from '../waiting.js';
import { connectPostgres, connectRedis } from './stores.js';
import type { Story, StoryGround } from './story.js';
import type { Finding } from './table.js';
import { entryOf, type PackageVersion } from './versions.js';
import { eventually } from './waiting.js';

const secret = 'whsec_upgrade';

/** How long the claim of a receiver lasts that died. In milliseconds. */
const lease = 1_500;

/** Opens a store of claims for a process of a version, and resolves with what cuts it off. */
type OpenDedupeStore = (
  version: PackageVersion,
) => Promise<{ readonly dedupe: DedupeStore; cut(): Promise<unknown> }>;

/** What only 0.1.0 has. */
interface StoresOfFirstRelease {
  createRedisDedupeStore?(client: object): DedupeStore;
  createPostgresDedupeStore?(pool: Pool): DedupeStore & { migrate(): Promise<void> };
}

/** A process that receives deliveries, or works on jobs. */
interface Receiving {
  /** The texts of the messages that its handlers have handled. */
  readonly handled: string[];
  /** Receives the message, and resolves with the status of the response. */
  receive(text: string): Promise<number>;
  /** Puts the message into a queue, and resolves with its job. */
  enqueue(text: string): Promise<WebhookJob>;
  process(job: WebhookJob): Promise<void>;
}

/** Receivers of both versions share a store in Redis. */
export const receiversWithRedis: Story = async (ground) => {
  const open: OpenDedupeStore = async (version) => {
    const { client, cut } = await connectRedis(ground);
    const webhooks = await entryOf(version, 'webhooks');
    const { createRedisDedupeStore }: StoresOfFirstRelease = Object(webhooks);
    const dedupe =
      createRedisDedupeStore?.(client) ??
      webhooks.createDedupeStore(webhooks.createRedisKeyValueStore(client));
    return { dedupe, cut };
  };
  const kind = 'The dedupe store of receivers in Redis';
  ground.note(kind, 'stopped', await handedOver(ground, open));
  ground.note(kind, 'rolling', await sharedBeside(ground, open));
};

/** The same in PostgreSQL, where 0.1.0 has a table of its own. */
export const receiversWithPostgres: Story = async (ground) => {
  const open: OpenDedupeStore = async (version) => {
    const { pool, cut } = connectPostgres(ground);
    const webhooks = await entryOf(version, 'webhooks');
    const { createPostgresDedupeStore }: StoresOfFirstRelease = Object(webhooks);
    const ofFirstRelease = createPostgresDedupeStore?.(pool);
    if (ofFirstRelease !== undefined) {
      await ofFirstRelease.migrate();
      return { dedupe: ofFirstRelease, cut };
    }
    const table = webhooks.createPostgresKeyValueStore(pool);
    await table.migrate();
    if (ground.upgrade.from === '0.1.0') await pool.query(handledByFirstRelease);
    return { dedupe: webhooks.createDedupeStore(table), cut };
  };
  const kind = 'The dedupe store of receivers in PostgreSQL';
  ground.note(kind, 'stopped', await handedOver(ground, open));
  if (ground.upgrade.from !== '0.1.0') ground.note(kind, 'rolling', await sharedBeside(ground, open));
};

/** What the changelog of 0.2.0 says to run between the receivers of 0.1.0 and those of a later version. */
const handledByFirstRelease = `
INSERT INTO messaging_automation_keys (key, value, expires_at)
SELECT 'dedupe:' || key, 'done', expires_at FROM webhook_deliveries WHERE holder IS NULL`;

/** A receiver of the earlier version dies, and the service repeats its deliveries at one of this version. */
async function handedOver({ upgrade }: StoryGround, open: OpenDedupeStore): Promise<readonly Finding[]> {
  const store = await open(upgrade.earlier);
  const before = await receiving(upgrade.earlier, store.dedupe, new Promise(() => {}));
  await before.receive('handled');
  before.receive('held').catch(() => {}); // its store goes away
  await eventually('the handler of the message', () => (before.handled.includes('held') ? true : undefined));
  await store.cut();

  const { dedupe } = await open(upgrade.current);
  const after = await receiving(upgrade.current, dedupe);
  return [
    {
      before: 'a delivery that was handled, and comes again',
      now: await receivedBy(after, 'handled'),
      expected: '204, not handled again',
    },
    {
      before: 'a delivery in the handler of a receiver that died, which comes again',
      now: await receivedBy(after, 'held'),
      expected: '204, handled',
    },
  ];
}

/** Receivers of both versions get the attempts of the same deliveries. */
async function sharedBeside({ upgrade }: StoryGround, open: OpenDedupeStore): Promise<readonly Finding[]> {
  const gate = withResolvers();
  const earlier = await receiving(upgrade.earlier, (await open(upgrade.earlier)).dedupe, gate.promise);
  const current = await receiving(upgrade.current, (await open(upgrade.current)).dedupe);
  await current.receive('new first');
  const first = earlier.receive('held for both');
  await eventually('the handler of the message', () =>
    earlier.handled.includes('held for both') ? true : undefined,
  );
  const second = receivedBy(current, 'held for both');
  gate.resolve();
  await first;
  const findings = [
    {
      before: 'a delivery that this version handled, and comes again at the earlier one',
      now: await receivedBy(earlier, 'new first'),
      expected: '204, not handled again',
    },
    {
      before: 'a delivery that the earlier version is handling, and comes again at this one',
      now: await second,
      expected: '204, not handled again',
    },
  ];
  return upgrade.from === '0.1.0' ? findings : [...findings, ...(await jobsOfBoth(earlier, current))];
}

/** Jobs of a queue, whose web processes and workers are of either version. */
async function jobsOfBoth(earlier: Receiving, current: Receiving): Promise<readonly Finding[]> {
  const waiting = await earlier.enqueue('in the queue');
  const worked = await earlier.enqueue('worked on');
  const handled = await earlier.enqueue('handled without a queue');
  const ofCurrent = await current.enqueue('of this version');
  await earlier.process(worked);
  await earlier.receive('handled without a queue');
  return [
    {
      before: 'a job that waits in the queue',
      now: await processedBy(current, waiting, 'in the queue'),
      expected: 'handled',
    },
    {
      before: 'a job that a worker of the earlier version has done, given out again',
      now: await processedBy(current, worked, 'worked on'),
      expected: 'not handled again',
    },
    {
      before: 'a job of this version, at a worker of the earlier one',
      now: await processedBy(earlier, ofCurrent, 'of this version'),
      expected: 'handled',
    },
    {
      before: 'the same job, given out again to a worker of this version',
      now: await processedBy(current, ofCurrent, 'of this version'),
      expected: 'not handled again',
    },
    {
      before: 'a job of a delivery that the earlier version handled without a queue',
      now: await processedBy(current, handled, 'handled without a queue'),
      expected: 'not handled again',
    },
  ];
}

async function receivedBy(receiver: Receiving, text: string): Promise<string> {
  const status = await receiver.receive(text);
  return `${status}, ${outcomeOf(receiver, text)}`;
}

async function processedBy(worker: Receiving, job: WebhookJob, text: string): Promise<string> {
  return worker.process(job).then(() => outcomeOf(worker, text), String);
}

function outcomeOf({ handled }: Receiving, text: string): string {
  return handled.includes(text) ? 'handled' : 'not handled again';
}

/** @param gate - Holds the handlers of messages whose text begins with `held`. */
async function receiving(
  version: PackageVersion,
  dedupe: DedupeStore,
  gate: Promise<unknown> = Promise.resolve(),
): Promise<Receiving> {
  const { createWebhookReceiver, toFetchHandler, signWebhook, signatureHeader } = await entryOf(
    version,
    'webhooks',
  );
  const handled: string[] = [];
  const jobs: WebhookJob[] = [];
  const options = { secret, dedupe, lease, onError: () => {} };
  const receiver = createWebhookReceiver(options).on('message.received', async ({ data }) => {
    handled.push(String(data.body));
    if (data.body?.startsWith('held')) await gate;
  });
  const queueing = createWebhookReceiver({ ...options, enqueue: (job) => jobs.push(job) });
  const requestOf = (text: string) => {
    const body = bodyOf(text);
    const headers = { 'Content-Type': 'application/json', [signatureHeader]: signWebhook(body, secret) };
    return new Request('http://127.0.0.1/webhooks', { method: 'POST', body, headers });
  };
  return {
    handled,
    receive: async (text) => (await toFetchHandler(receiver)(requestOf(text))).status,
    async enqueue(text) {
      await toFetchHandler(queueing)(requestOf(text));
      const job = jobs.at(-1);
      if (job === undefined) throw new Error('The receiver enqueued nothing.');
      return job;
    },
    process: async (job) => void (await receiver.process(job)),
  };
}

const sentAt = new Date().toISOString();

/** The bytes of a delivery, the same in each attempt. */
function bodyOf(text: string): string {
  const ids = { messageId: text, contactId: 'contact_1', conversationId: 'conversation_1' };
  const data = { ...ids, phone: '+15551230001', body: text, type: 'text', receivedAt: sentAt };
  return JSON.stringify({ event: 'message.received', workspaceId: 'workspace_1', timestamp: sentAt, data });
}
