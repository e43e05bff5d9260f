import { randomUUID } from 'node:crypto';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import { ContactTurns } from '../../../src/webhooks/order/turns.js';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { shared } from '../../run/shared.js';
import { settle } from '../../waiting.js';
import { startKeyValueService } from '../promises/backends.js';
import { connections } from '../promises/connections.js';
import { redisClients, type StoreName } from '../promises/promises.js';
import { useBackend } from '../promises/suite.js';

const redis = await shared('redis');
const suffix = 'missing' in redis ? notRun('the order of deliveries in Redis', redis.missing) : '';

/** Each wait takes a tenth of its time. */
const hastyClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delay) => systemClock.setTimer(callback, delay / 10),
};

/** Three processes, each with a connection of its own, and ninety deliveries of three contacts. */
function keepsTheOrder(name: StoreName, urlOf: () => string): void {
  test(`ninety deliveries of three contacts run in turn in three processes, by ${name}`, async () => {
    const connected = await Promise.all([1, 2, 3].map(() => connections[name](urlOf())));
    onTestFinished(async () => void (await Promise.all(connected.map(({ close }) => close()))));
    const processes = connected.map(({ store }) => {
      if (store.turns === undefined) throw new Error('The store has no turns.');
      const turns = new ContactTurns({
        store: store.turns,
        clock: hastyClock,
        ttl: 600_000,
        mostWaiting: 100,
      });
      return { store, turns };
    });
    const running = new Set<string>();
    const handled = new Map<string, number[]>();
    const scope = randomUUID();

    const claim = async (index: number) => {
      const process = processes[index % 3];
      if (process === undefined) throw new Error('There is no process.');
      const contact = `contact-${scope}-${Math.floor(index / 3) % 3}`;
      const [key, holder] = [`delivery:${scope}-${index}`, randomUUID()];
      await process.store.claim(key, { holder, lease: 600_000 });
      return { index, process, contact, key, holder };
    };
    const deliver = async ({ index, process, contact, key, holder }: Awaited<ReturnType<typeof claim>>) => {
      const turn = process.turns.join(contact, { timestamp: index, key, holder });
      turn?.prefetch();
      expect(await turn?.begin()).toBe(true);
      expect(running).not.toContain(contact);
      running.add(contact);
      await passed(1);
      const before = handled.get(contact) ?? [];
      expect(turn?.isLate).toBe(before.some((each) => each > index));
      handled.set(contact, [...before, index]);
      running.delete(contact);
      await process.store.commit(key, { holder, ttl: 600_000 });
      await turn?.leave({ handled: true });
    };
    // A store may respond in another order than it was asked, so all are claimed before the first joins.
    const claimed = await Promise.all(Array.from({ length: 90 }, (_, index) => claim(index)));
    await Promise.all(claimed.map(deliver));

    expect([...handled.values()].map((indexes) => indexes.length)).toEqual([30, 30, 30]);
    // Of one process, all were here from the start.
    for (const indexes of handled.values())
      for (const process of [0, 1, 2]) {
        const own = indexes.filter((index) => index % 3 === process);
        expect(own).toEqual(own.toSorted((one, other) => one - other));
      }
    await settle();
    expect(processes.map(({ turns }) => turns.size)).toEqual([0, 0, 0]);
  });
}

describe.runIf('url' in redis)(`in Redis${suffix}`, () => {
  for (const name of redisClients) keepsTheOrder(name, () => ('url' in redis ? redis.url : ''));
});

describe.skipIf(missingPostgres)('in PostgreSQL', () => {
  const postgres = usePostgres();
  keepsTheOrder('PostgreSQL', () => postgres().server.url);
});

describe('in a key-value service', () => {
  const backend = useBackend(startKeyValueService);
  keepsTheOrder('key-value', () => backend().url);
});
