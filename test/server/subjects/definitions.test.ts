import type { JourneySeed } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { phone, startServer } from '../support/reference.js';

/** What no type lets through. */
const wrong = (value: object) => JSON.parse(JSON.stringify(value));

test('the templates of a running workspace can be added, changed and removed, and the next send uses them', async () => {
  const server = startServer({ contacts: [{ phone }] });
  const send = () => server.client.transactional.send({ phone, templateId: 'hi', variables: { '1': 'Ada' } });
  await expect(send()).rejects.toMatchObject({ status: 422 });
  expect(await server.templates.put({ id: 'hi', body: 'Hi {{1}}' })).toEqual({
    id: 'hi',
    name: 'hi',
    language: 'en',
    status: 'approved',
    body: 'Hi {{1}}',
    variables: ['1'],
  });
  await send();
  await server.templates.update('hi', { status: 'paused' });
  await expect(send()).rejects.toThrow('is paused, not approved');
  await server.templates.update('hi', { status: 'approved', body: 'Hello {{1}}, again' });
  await send();
  expect((await server.journal.sends()).map(({ text }) => text)).toEqual(['Hi Ada', 'Hello Ada, again']);
  expect(await server.client.templates.list()).toEqual(await server.templates.list());
  expect(await server.templates.remove('hi')).toBe(true);
  expect(await server.templates.remove('hi')).toBe(false);
  await expect(send()).rejects.toThrow('No template has the id');
});

test('a run continues in the replaced journey, and ends with a removed one', async () => {
  const steps = [{ wait: '1h' }, { send: 'one' }] as const;
  const server = startServer({
    templates: [
      { id: 'one', body: '1' },
      { id: 'two', body: '2' },
    ],
    contacts: [{ phone }],
    journeys: [
      { id: 'replaced', event: 'seen', steps },
      { id: 'removed', event: 'seen', steps },
    ],
  });
  await server.client.events.track({ event: 'seen', phone });
  await server.settled();
  const replacing: JourneySeed = { id: 'replaced', event: 'seen', steps: [{ wait: '1h' }, { send: 'two' }] };
  expect(await server.journeys.put(replacing)).toEqual(replacing);
  expect(await server.journeys.remove('removed')).toBe(true);
  expect(await server.journeys.remove('removed')).toBe(false);
  await server.clock.advance('1h');
  expect((await server.journal.sends()).map(({ templateId }) => templateId)).toEqual(['two']);
  const runs = await server.journal.journeyRuns();
  expect(runs.map(({ status }) => status)).toEqual(['finished', 'finished']);
});

test('the specGaps of a running workspace change there alone, only by set, and only to known values', async () => {
  const server = startServer();
  const other = server.workspace();
  await server.specGaps.set({ errorBody: 'text' });
  for (const result of [server.specGaps.read(), await server.specGaps.set({})])
    Reflect.set(result, 'listBody', 'array');
  expect(other.specGaps.read().errorBody).toBe('nested');
  await expect(server.specGaps.set(wrong({ errorbody: 'flat' }))).rejects.toThrow(
    'errorbody is not a known field (do you mean errorBody?)',
  );
  await expect(server.specGaps.set(wrong({ listBody: 'flat' }))).rejects.toThrow(
    'The change of specGaps is invalid',
  );
  expect(server.specGaps.read()).toMatchObject({ errorBody: 'text', listBody: 'data' });
});

test('a call takes its arguments as they are at the call', async () => {
  const server = startServer({ receiverAddresses: 'any' });
  const template = { id: 'hi', body: 'first' };
  const quota = { quota: 1 };
  const webhook = { url: 'https://first.example.com/', events: ['message.received' as const] };
  const journey = { id: 'thank', event: 'first', steps: [{ send: 'hi' }] };
  const segment = { id: 'seen', event: 'first' };
  const message = { phone, body: 'first' };
  const calls = [
    server.templates.put(template),
    server.quota.set(quota),
    server.managedWebhooks.create(webhook),
    server.journeys.put(journey),
    server.segments.put(segment),
    server.simulate.inboundMessage(message),
  ];
  template.body = 'second';
  quota.quota = 2;
  webhook.url = 'https://second.example.com/';
  journey.event = 'second';
  segment.event = 'second';
  message.body = 'second';
  await Promise.all(calls);
  const { workspace } = await server.snapshot();
  expect(workspace).toMatchObject({
    quota: 1,
    templates: [{ body: 'first' }],
    journeys: [{ event: 'first' }],
    segments: [{ event: 'first' }],
  });
  expect(await server.managedWebhooks.list()).toMatchObject([{ url: 'https://first.example.com/' }]);
  expect(await server.journal.find('message')).toMatchObject([{ body: 'first' }]);
});
