import { type } from 'arktype';
import { defineWorkspace, MessagingAutomation, type Workspace } from 'messaging-automation';
import type { ReferenceServer } from 'messaging-automation/server';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { phone, unserved } from '../client/support/samples.js';
import { startServer } from '../server/support/reference.js';

const ofZod = defineWorkspace({
  properties: { firstName: z.string().trim().min(1), visits: z.int(), interests: z.array(z.string()) },
  events: {
    order_placed: z.object({
      lines: z.array(z.object({ sku: z.string(), count: z.number() })),
      currency: z.string().default('EUR'),
    }),
  },
});

const ofValibot = defineWorkspace({
  properties: {
    firstName: v.pipe(v.string(), v.trim(), v.minLength(1)),
    visits: v.pipe(v.number(), v.integer()),
    interests: v.array(v.string()),
  },
  events: {
    order_placed: v.object({
      lines: v.array(v.object({ sku: v.string(), count: v.number() })),
      currency: v.optional(v.string(), 'EUR'),
    }),
  },
});

const ofArktype = defineWorkspace({
  properties: {
    firstName: type('string.trim').to('string > 0'),
    visits: type('number.integer'),
    interests: type('string[]'),
  },
  events: {
    order_placed: type({
      lines: type({ sku: 'string', count: 'number' }).array(),
      currency: "string = 'EUR'",
    }),
  },
});

/** A strict client, of which any drift would be an error, of the reference server. */
function startClient<W extends Workspace>(workspace: W) {
  const server = startServer();
  const { apiKey } = server;
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  return {
    server,
    messaging: new MessagingAutomation({ apiKey, ...unserved, fetch, validation: 'strict', workspace }),
  };
}

type OfZod = MessagingAutomation<typeof ofZod>;

/** All three take and give the same, so the compiler takes the clients of the others for zod's. */
interface Started {
  readonly server: ReferenceServer;
  readonly messaging: {
    readonly contacts: Pick<OfZod['contacts'], 'upsert' | 'update' | 'find' | 'get'>;
    readonly events: Pick<OfZod['events'], 'track'>;
  };
}

describe.each<readonly [string, () => Started]>([
  ['zod', () => startClient(ofZod)],
  ['valibot', () => startClient(ofValibot)],
  ['arktype', () => startClient(ofArktype)],
])('a workspace by %s', (_, start) => {
  test('sends what its schemas give, and reads it back', async () => {
    const { server, messaging } = start();
    const properties = { firstName: ' Ada ', visits: 3, interests: ['chess'] };
    const { id } = await messaging.contacts.upsert({ phone, properties });
    await messaging.contacts.update(id, { properties: { visits: 4 } });

    const contact = await messaging.contacts.find(phone);
    expectTypeOf(contact?.properties.firstName).toEqualTypeOf<string | undefined>();
    expect(contact?.properties).toEqual({ phone, firstName: 'Ada', visits: 4, interests: ['chess'] });
    expect(await messaging.contacts.get(id)).toEqual(contact);

    const lines = [{ sku: 'tea', count: 2 }];
    await messaging.events.track({ event: 'order_placed', phone, properties: { lines } });
    await server.settled();
    expect(await server.journal.events()).toMatchObject([
      { event: 'order_placed', contactId: id, properties: { lines, currency: 'EUR' } },
    ]);
  });
});
