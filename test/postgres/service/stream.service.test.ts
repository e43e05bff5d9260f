import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startReplicas } from './replicas.js';

describe.skipIf(missingPostgres)('the stream of one of two servers', () => {
  const postgres = usePostgres();

  test('tells what happens at the other one, and goes on there after the last event', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    await two.settled();
    const first = await streamOf(replicas.baseUrls[1], two.apiKey);
    await one.client.contacts.upsert({ phone: '+15551230001' });
    await one.client.contacts.upsert({ phone: '+15551230002' });
    const told = await first.entries(2);
    await first.end();
    await two.client.contacts.upsert({ phone: '+15551230003' });
    const second = await streamOf(replicas.baseUrls[0], one.apiKey, told.lastId);
    const rest = await second.entries(1);
    await second.end();

    expect(told.numbers).toEqual([1, 2]);
    expect(rest.numbers).toEqual([3]);
  });

  test('waits over HTTP for what happens at the other one', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      templates: [{ id: 'welcome', body: 'Hi' }],
    });
    const [one, two] = replicas.servers;
    await one.client.contacts.upsert({ phone: '+15551230001' });
    const { origin } = new URL(replicas.baseUrls[1]);
    const waiting = fetch(`${origin}/control/sends?templateId=welcome&wait=20s`, {
      headers: { Authorization: `Bearer ${two.apiKey}` },
    });
    await one.client.transactional.send({ phone: '+15551230001', templateId: 'welcome' });

    expect(await (await waiting).json()).toMatchObject({ data: [{ templateId: 'welcome', text: 'Hi' }] });
  });
});

/** Reads the entries of a workspace's stream. */
async function streamOf(baseUrl: string, apiKey: string, lastId?: string) {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
  };
  const { body } = await fetch(`${new URL(baseUrl).origin}/control/stream`, { headers });
  if (body === null) throw new Error('The stream has no body.');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async entries(count: number) {
      for (;;) {
        const events = text.split('\n\n').filter((event) => /^event: entry$/m.test(event));
        if (events.length >= count && text.endsWith('\n\n')) {
          const ids = events.map((event) => /^id: (.+)$/m.exec(event)?.[1] ?? '');
          return { numbers: ids.map((id) => Number(id.split('-')[1])), lastId: ids.at(-1) ?? '' };
        }
        const { done, value } = await reader.read();
        if (done) throw new Error(`The stream ended after ${events.length} entries.`);
        text += value;
      }
    },
    end: () => reader.cancel(),
  };
}
