import type { KeyValueService } from 'messaging-automation';
import { runCommand } from './served-version.js';
import { Service, type Treatment } from './service.js';
import { keysInPostgres, keysInRedis, type OpenStore } from './stores.js';
import type { Story, StoryGround } from './story.js';
import type { Finding } from './table.js';
import { entryOf, type PackageVersion } from './versions.js';
import { eventually } from './waiting.js';

/** How long a call may take. In milliseconds: the lease of a sender that died is 30 s. */
const timeout = 40_000;

export const keysInTheRedis: Story = (ground) =>
  tell(ground, 'The store of keys and opt-outs in Redis', keysInRedis(ground), ground.redisUrl);

export const keysInThePostgres: Story = (ground) =>
  tell(ground, 'The store of keys and opt-outs in PostgreSQL', keysInPostgres(ground), ground.databaseUrl);

async function tell(ground: StoryGround, kind: string, open: OpenStore, url: string): Promise<void> {
  if (ground.upgrade.from === '0.1.0') {
    ground.note(kind, 'stopped', [{ before: 'keys', now: '0.1.0 has none', expected: '0.1.0 has none' }]);
    return;
  }
  const service = new Service();
  await service.start();
  ground.atEnd(() => service.close());
  ground.note(kind, 'stopped', await handedOver(ground, service, open, url));
  ground.note(kind, 'rolling', await sharedBeside(ground, service, open));
  ground.note(kind, 'rolling', await optOuts(ground, open));
}

/** A sender of the earlier version ends, one call amid its request, and one of this version goes on. */
async function handedOver(
  { upgrade: { earlier, current } }: StoryGround,
  service: Service,
  open: OpenStore,
  url: string,
): Promise<readonly Finding[]> {
  const opened = await open(earlier);
  const before = await sender(earlier, service, opened.store);
  await before.send('sent');
  await before.send('unknown', 'cut');
  await before.send('settled', 'cut');
  void before.send('killed', 'hold');
  await eventually('the request of the sender', () =>
    service.requestsOf(phoneOf('killed')) > 0 ? true : undefined,
  );
  await opened.cut();

  const { store } = await open(current);
  const after = await sender(current, service, store);
  const killed = after.send('killed'); // waits until the lease is over
  const listed = await runCommand(current, ['unsettled', '--store', url]);
  return [
    {
      before: 'a key that was sent',
      now: await after.send('sent'),
      expected: 'replayed; 1 request in all',
    },
    {
      before: 'a key whose outcome is unknown',
      now: await after.send('unknown'),
      expected: 'outcome_unknown; 1 request in all',
    },
    {
      before: 'the list of what is unknown, in a terminal',
      now: `exit code ${listed.exitCode}, ${listed.output.match(/\(not kept\)/g)?.length} keys without their text`,
      expected: 'exit code 0, 2 keys without their text',
    },
    {
      before: 'a key whose outcome is unknown, settled as sent',
      now: await after.settle('unknown', 'sent').then(() => after.send('unknown')),
      expected: 'replayed; 1 request in all',
    },
    {
      before: 'a key whose outcome is unknown, settled as not_sent',
      now: await after.settle('settled', 'not_sent').then(() => after.send('settled')),
      expected: 'sent; 2 requests in all',
    },
    {
      before: 'a key whose sender was killed amid its request',
      now: await killed,
      expected: 'outcome_unknown; 1 request in all',
    },
  ];
}

/** Senders of both versions have the same keys. */
async function sharedBeside(
  { upgrade: { earlier, current } }: StoryGround,
  service: Service,
  open: OpenStore,
): Promise<readonly Finding[]> {
  const [ofEarlier, ofCurrent] = [await open(earlier), await open(current)];
  const old = await sender(earlier, service, ofEarlier.store);
  const present = await sender(current, service, ofCurrent.store);
  const first = old.send('under way', 'hold');
  await eventually('the request of the sender', () =>
    service.requestsOf(phoneOf('under way')) > 0 ? true : undefined,
  );
  const second = present.send('under way');
  service.release();
  await first;
  await present.send('new first');
  await present.send('new unknown', 'cut');
  const race = await Promise.all([old.send('race'), present.send('race')]);
  return [
    {
      before: 'a key that the earlier version is sending',
      now: await second,
      expected: 'replayed; 1 request in all',
    },
    {
      before: 'a key that both send at the same time',
      now: race.sort().join(', '),
      expected: 'replayed; 1 request in all, sent; 1 request in all',
    },
    {
      before: 'a key that this version sent, at the earlier one',
      now: await old.send('new first'),
      expected: 'replayed; 1 request in all',
    },
    {
      before: 'a key of this version whose outcome is unknown, at the earlier one',
      now: await old.send('new unknown'),
      expected: 'outcome_unknown; 1 request in all',
    },
  ];
}

/** Both versions read and write one list of opt-outs. */
async function optOuts(
  { upgrade: { earlier, current } }: StoryGround,
  open: OpenStore,
): Promise<readonly Finding[]> {
  const [ofEarlier, ofCurrent] = [await open(earlier), await open(current)];
  const lists = await Promise.all(
    [
      { version: earlier, store: ofEarlier.store },
      { version: current, store: ofCurrent.store },
    ].map(async ({ version, store }) => (await entryOf(version, 'index')).createOptOutList({ store })),
  );
  const [old, present] = lists;
  if (old === undefined || present === undefined) throw new RangeError('There are two lists.');
  await old.add(phoneOf('opted out before'));
  await old.add(phoneOf('opted in again'));
  await present.add(phoneOf('opted out now'));
  await present.remove(phoneOf('opted in again'));
  const words = (isOn: boolean) => (isOn ? 'on the list' : 'not on the list');
  return [
    {
      before: 'an opt-out that the earlier version recorded',
      now: words(await present.has(phoneOf('opted out before'))),
      expected: 'on the list',
    },
    {
      before: 'an opt-out that this version recorded, at the earlier one',
      now: words(await old.has(phoneOf('opted out now'))),
      expected: 'on the list',
    },
    {
      before: 'an opt-out of the earlier version, and a new consent of this one, at the earlier one',
      now: words(await old.has(phoneOf('opted in again'))),
      expected: 'not on the list',
    },
  ];
}

/** A client that sends one message for each key. */
async function sender(version: PackageVersion, service: Service, idempotencyStore: KeyValueService) {
  const { MessagingAutomation, IdempotencyError } = await entryOf(version, 'index');
  const client = new MessagingAutomation({
    apiKey: 'key',
    baseUrl: `${service.origin}/api`,
    idempotencyStore,
    retries: 0,
    timeout,
  });
  return {
    /** Says what becomes of the send, and how many requests the service got for the key. */
    async send(key: string, treatment: Treatment = 'accept'): Promise<string> {
      service.treat(phoneOf(key), treatment);
      const outcome = await client.transactional
        .send({ phone: phoneOf(key), templateId: 'order_update' }, { idempotencyKey: key })
        .then(
          ({ replayed }) => (replayed ? 'replayed' : 'sent'),
          (error: unknown) => (error instanceof IdempotencyError ? error.code : String(error)),
        );
      const requests = service.requestsOf(phoneOf(key));
      return `${outcome}; ${requests} request${requests === 1 ? '' : 's'} in all`;
    },
    settle: (key: string, outcome: 'sent' | 'not_sent') => client.transactional.settle(key, outcome),
  };
}

/** A phone for each text. */
function phoneOf(key: string): string {
  const digits = [...key].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 10_000_000, 7);
  return `+1555${String(digits).padStart(7, '0')}`;
}
