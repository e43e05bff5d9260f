import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { control, dataOf } from '../../server/control-routes/support.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { firstKey, startFrozen } from '../support/replicas-of-a-service.js';

const phone = '+15551234567';
const odd = ['\0', 'a\0b', '\ud800', 'a\udc00b', '\\u0000', '😀'];

describe.skipIf(missingPostgres)('a NUL or a lone surrogate', () => {
  const postgres = usePostgres();

  test('goes through the whole life of a workspace, and holds up nothing else', async () => {
    const bodies: string[] = [];
    const seed = {
      quota: 100,
      templates: [{ id: 'reminder', body: 'Hello {{1}}' }],
      segments: [{ id: 'odd', event: 'a\0b', atLeast: 1 }],
      journeys: ['plain', ...odd].map((event, index) => ({
        id: `journey ${index}`,
        event,
        steps: [{ wait: '1d' as const }, { send: 'reminder', variables: { '1': { event: 'text' } } }],
      })),
    };
    const { one, two, schema } = await startFrozen(postgres(), {
      ...seed,
      fetch: async (_, init) => {
        bodies.push(JSON.parse(await new Response(init?.body).text()).data.body);
        return new Response(null, { status: 204 });
      },
    });
    const other = two.workspace({ ...seed, workspaceId: 'other', apiKey: 'other' });
    const properties = Object.fromEntries(odd.map((text) => [`_${text}`, text]));
    for (const { client, simulate } of [one, other]) {
      await client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
      const { id } = await client.contacts.upsert({ phone, properties: { other: 1 } });
      await client.contacts.update(id, { properties });
      for (const text of ['plain', ...odd]) {
        await client.events.track({ event: text, phone, properties: { text, deep: [{ [text]: [text] }] } });
        await client.transactional.send({ phone, templateId: 'reminder', variables: { '1': text } });
        await simulate.inboundMessage({ phone, body: text });
      }
    }
    await two.settled();
    await other.settled();
    for (const { clock } of [two, other]) await clock.advance('1d');

    const sorted = (texts: readonly string[]) => [...texts].sort();
    const all = sorted([...odd, ...odd, 'plain', 'plain']);
    expect(sorted(bodies)).toEqual(all);
    const expectAll = async ({ journal, contacts }: Pick<typeof one, 'journal' | 'contacts'>) => {
      expect((await contacts.list()).data).toMatchObject([{ properties: { other: 1, ...properties } }]);
      expect(sorted((await journal.sends()).map(({ text }) => text.slice('Hello '.length)))).toEqual(all);
      expect((await journal.events()).map(({ event }) => event)).toEqual(['plain', ...odd]);
      expect((await journal.journeyRuns()).map(({ status }) => status)).toEqual(Array(7).fill('finished'));
      expect((await journal.deliveries()).map(({ status }) => status)).toEqual(Array(7).fill('delivered'));
      expect(await journal.segmentMembers('odd')).toHaveLength(1);
    };
    for (const workspace of [one, two, other]) {
      await expectAll(workspace);
      expect((await workspace.journal.find('message')).map(({ body }) => body)).toEqual(['plain', ...odd]);
    }
    await other.restore(JSON.parse(JSON.stringify(await one.snapshot())));
    await one.close();
    await two.close();
    const again = createReferenceServer({
      apiKey: firstKey,
      store: postgresStore({ connectionString: postgres().connectionString, schema }),
    });
    onTestFinished(() => again.close());
    await again.settled();
    await expectAll(again);
    const { body } = await control(again, { apiKey: 'other' })('GET', '/sends');
    expect(dataOf(body)).toHaveLength(all.length);
  });
});
