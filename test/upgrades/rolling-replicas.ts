import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'messaging-automation/server';
import { Endpoint } from './endpoint.js';
import { Load } from './load.js';
import { ServedVersion } from './served-version.js';
import type { Story } from './story.js';
import type { Finding } from './table.js';
import { eventually } from './waiting.js';
import { phone, seed } from './work-in-flight.js';

const kind = 'A shared database';

/** How many messages are accepted before the next step of the deployment. */
const messagesOfEachStep = 20;

/**
 * Two replicas of the earlier version serve under load. They are replaced one after the other by replicas of this version, as a rolling
 * deployment does.
 */
export const rollingReplicas: Story = async ({
  upgrade: { earlier, current, from },
  folder,
  databaseUrl,
  atEnd,
  note,
}) => {
  const endpoint = new Endpoint();
  await endpoint.start();
  atEnd(() => endpoint.close());
  const seedFile = join(folder, 'seed.json');
  await writeFile(seedFile, JSON.stringify({ ...seed, clock: 'flowing', quota: 100_000 }));
  const words = ['--seed', seedFile, '--store', databaseUrl];
  const start = async (version: typeof earlier) => {
    const server = await ServedVersion.start(version, words);
    atEnd(() => server.end('SIGKILL'));
    return server;
  };

  const leaving = await start(earlier);
  const staying = await start(earlier);
  const client = await leaving.client();
  await client.contacts.upsert({ phone });
  await client.webhooks.create({ url: endpoint.urlOf('/load'), events: ['message.received'] });
  const load = new Load(leaving, staying);
  atEnd(() => load.end());
  const moreMessages = async () => {
    const wanted = load.messages.length + messagesOfEachStep;
    await eventually('more accepted messages', () => (load.messages.length >= wanted ? true : undefined));
  };
  await moreMessages();

  load.spreadOver(staying);
  await leaving.end('SIGTERM');
  const first = await start(current);
  load.spreadOver(staying, first);
  await moreMessages();
  const ofEarlier = from === '0.1.0' ? '500' : '503';
  const refusal = await eventually('the refusal of the replica of the earlier version', () =>
    load.responsesOf(staying).find((text) => text.startsWith(ofEarlier)),
  );

  load.spreadOver(first);
  await staying.end('SIGTERM');
  const second = await start(current);
  load.spreadOver(first, second);
  await moreMessages();
  await load.end();
  await second.control('/clock/advance', { by: '1d' });
  await second.control('/settled', {});
  note(kind, 'rolling', await whatBecame(load, endpoint, second));
  note(kind, 'rolling', [
    {
      before: 'the replica of the earlier version that goes on',
      now: refusal,
      expected:
        from === '0.1.0'
          ? '500 internal_error'
          : '503 service_unavailable This server is older than its database, which a newer version has updated. Restart it with that version.',
    },
  ]);
};

async function whatBecame(
  load: Load,
  endpoint: Endpoint,
  server: ServedVersion,
): Promise<readonly Finding[]> {
  const received = endpoint.posts.map(({ body }): string => JSON.parse(body).data.body);
  const lost = load.messages.filter((text) => !received.includes(text));
  const twice = load.messages.filter((text) => received.indexOf(text) !== received.lastIndexOf(text));
  const sends = await server.control<Page<{ readonly text: string }>>('/sends?limit=1000');
  const texts = sends.data.map(({ text }) => text);
  const sentOnce = load.orders.filter(
    (order) => texts.filter((text) => text === `How was ${order}?`).length === 1,
  );
  return [
    {
      before: 'messages that a replica of either version accepted',
      // An attempt that is under way during the update cannot be recorded, and is made again.
      now: `${lost.length} lost of ${load.messages.length}, and ${twice.length} delivered twice`,
      expected: '0 lost',
    },
    {
      before: 'events that a replica of either version accepted, whose journey waits a day',
      now: `${load.orders.length - sentOnce.length} without its one message of ${load.orders.length}`,
      expected: '0 without its one message',
    },
  ];
}
