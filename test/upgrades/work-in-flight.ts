import { readFile } from 'node:fs/promises';
import type { Delivery, Page, WorkspaceSeed } from 'messaging-automation/server';
import type { Endpoint } from './endpoint.js';
import type { ServedVersion } from './served-version.js';
import type { Finding } from './table.js';
import { entryOf, type PackageVersion } from './versions.js';
import { eventually } from './waiting.js';

export const phone = '+15551230001';

/** What a server begins with. Its clock is frozen, so that what is due waits until the new version moves the time. */
export const seed = {
  clock: 'frozen',
  quota: 10,
  templates: [{ id: 'how_was_it', body: 'How was {{1}}?' }],
  journeys: [
    {
      id: 'after_order',
      event: 'order_placed',
      steps: [{ wait: '1d' }, { send: 'how_was_it', variables: { '1': { event: 'order' } } }],
    },
  ],
  faults: [{ operation: 'contacts.get', nth: 2, fault: { kind: 'status', status: 503 } }],
} satisfies WorkspaceSeed;

/** What a server was doing when it ended, as far as one has to remember it to look for it afterwards. */
export interface LeftWork {
  readonly contactId: string;
  readonly secret: string;
  readonly otherKey: string;
}

/** Gives a server work, and resolves when it has begun all of it and ended none that goes on. */
export async function leaveWork(server: ServedVersion, endpoint: Endpoint): Promise<LeftWork> {
  endpoint.behave('/refused', 'refuse');
  endpoint.behave('/held', 'hold');
  const client = await server.client();
  const { id: contactId } = await client.contacts.upsert({ phone, properties: { city: 'Ulm 🚀' } });
  const { secret } = await client.webhooks.create({
    url: endpoint.urlOf('/refused'),
    events: ['message.received'],
  });
  for (const path of ['/held', '/taken'])
    await client.webhooks.create({ url: endpoint.urlOf(path), events: ['message.received'] });
  await client.events.track({ event: 'order_placed', phone, properties: { order: 'order 1' } });
  await eventually('the journey run that waits', async () => {
    const { data } = await server.control<Page<{ readonly status: string }>>('/journey-runs');
    return data.some(({ status }) => status === 'waiting') ? true : undefined;
  });
  await client.contacts.get(contactId);
  const { apiKey: otherKey } = await server.control<{ readonly apiKey: string }>('/workspaces', {
    contacts: [{ phone, properties: { city: 'Bonn' } }],
  });
  await server.control('/inbound-messages', { phone, body: 'Hello' });
  await eventually('the first attempt of each delivery', async () => {
    const attempts = (await deliveriesOf(server)).map((delivery) => delivery.attempts.length);
    return attempts.sort().join() === '0,1,1' && endpoint.postsTo('/held').length === 1 ? true : undefined;
  });
  return { contactId, secret, otherKey };
}

/** Lets a day go by at the server that goes on with the work, and says what became of it. */
export async function findWork(
  current: PackageVersion,
  server: ServedVersion,
  endpoint: Endpoint,
  left: LeftWork,
): Promise<readonly Finding[]> {
  const client = await server.client();
  const contact = await client.contacts.find(phone);
  const fault = await client.contacts.get(left.contactId).then(
    () => 'no longer applies',
    (error: unknown) => `applies: the second call gets ${Reflect.get(Object(error), 'status')}`,
  );
  await server.control('/clock/advance', { by: '1d' });
  const sends = await server.control<Page<{ readonly text: string }>>('/sends');
  const { quota } = await server.control<{ readonly quota: number }>('/quota');
  const other = await (await server.client(left.otherKey)).contacts.find(phone);
  const { verifyWebhook } = await entryOf(current, 'webhooks');
  const [latest] = endpoint.postsTo('/refused').slice(-1);
  const isVerified =
    latest !== undefined && (await verifyWebhook(latest.body, latest.signature, left.secret));
  return [
    {
      before: 'a delivery that was refused once and is due again in 10 s',
      now: await deliveryTo(server, endpoint, '/refused'),
      expected: 'delivered after 2 POSTs',
    },
    {
      before: 'a delivery whose first attempt was under way as the server was killed',
      now: await deliveryTo(server, endpoint, '/held'),
      expected: 'delivered after 2 POSTs',
    },
    {
      before: 'a delivery that was delivered',
      now: await deliveryTo(server, endpoint, '/taken'),
      expected: 'delivered after 1 POST',
    },
    {
      before: 'the secret of a subscription',
      now: isVerified ? 'signs what is delivered now' : 'does not sign what is delivered now',
      expected: 'signs what is delivered now',
    },
    {
      before: 'a journey run that waits a day, and 10 conversations',
      now: `sent ${sends.data.map(({ text }) => `"${text}"`).join(', ')}, ${quota} conversations`,
      expected: 'sent "How was order 1?", 9 conversations',
    },
    {
      before: 'a fault of the second call, after one call',
      now: fault,
      expected: 'applies: the second call gets 503',
    },
    {
      before: 'a contact with a property, and one of the same phone in another workspace',
      now: `${contact?.properties.city}, and ${other?.properties.city} by the key of that workspace`,
      expected: 'Ulm 🚀, and Bonn by the key of that workspace',
    },
  ];
}

async function deliveriesOf(server: ServedVersion): Promise<readonly Delivery[]> {
  return (await server.control<Page<Delivery>>('/deliveries')).data;
}

async function deliveryTo(server: ServedVersion, endpoint: Endpoint, path: string): Promise<string> {
  const delivery = (await deliveriesOf(server)).find(({ url }) => url === endpoint.urlOf(path));
  const posts = endpoint.postsTo(path).length;
  return `${delivery?.status} after ${posts} POST${posts === 1 ? '' : 's'}`;
}

/** Resolves when the state file of a server has all that the server has now. */
export async function untilKept(file: string, server: ServedVersion): Promise<void> {
  const latest = '+15551239999';
  await (await server.client()).contacts.upsert({ phone: latest });
  await eventually('the state in its file', async () =>
    (await readFile(file, 'utf8')).includes(latest) ? true : undefined,
  );
}
