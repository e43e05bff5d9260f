import { describe, expect, test } from 'vitest';
import { phone, startServer } from '../support/reference.js';

/** What no type lets through. */
const wrong = (value: object) => JSON.parse(JSON.stringify(value));

describe('the quota of a running workspace', () => {
  test('is set while it runs, and pays for what comes next', async () => {
    const server = startServer({ templates: [{ id: 'hi', body: 'Hi' }], contacts: [{ phone }] });
    const send = () => server.client.transactional.send({ phone, templateId: 'hi' });
    expect(await server.quota.read()).toEqual({ quota: 1_000, addOnCredits: 0 });
    expect(await server.quota.set({ quota: 0 })).toEqual({ quota: 0, addOnCredits: 0 });
    await expect(send()).rejects.toMatchObject({ status: 402 });
    expect(await server.quota.set({ addOnCredits: 1 })).toEqual({ quota: 0, addOnCredits: 1 });
    await send();
    expect((await server.journal.sends())[0]?.paidBy).toBe('add_on');
    expect(await server.quota.read()).toEqual({ quota: 0, addOnCredits: 0 });
  });

  test.each([{ quota: -1 }, { quota: 1.5 }, { credits: 1 }])('refuses %j', async (quota) => {
    const server = startServer({ quota: 7 });
    await expect(server.quota.set(wrong(quota))).rejects.toThrow('The quota is invalid');
    expect(await server.quota.read()).toMatchObject({ quota: 7 });
  });
});

describe('the templates of a running workspace', () => {
  test('are added, changed and taken away, and sends see it at once', async () => {
    const server = startServer({ contacts: [{ phone }] });
    const send = () =>
      server.client.transactional.send({ phone, templateId: 'hi', variables: { '1': 'Ada' } });
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

  test('take the place of their own, with what is not named as it is for a new one', async () => {
    const server = startServer({
      templates: [
        { id: 'a', body: 'A', status: 'pending' },
        { id: 'b', body: 'B' },
      ],
    });
    await server.templates.put({ id: 'a', body: 'Other' });
    expect(await server.templates.list()).toMatchObject([
      { id: 'a', body: 'Other', status: 'approved' },
      { id: 'b', body: 'B' },
    ]);
    await server.templates.update('b', { name: 'Bee', status: undefined });
    expect((await server.templates.list())[1]).toMatchObject({ name: 'Bee', status: 'approved', body: 'B' });
  });

  test('are refused by field, and there is no change of one that there is not', async () => {
    const server = startServer();
    await expect(server.templates.put(wrong({ id: 'a' }))).rejects.toThrow('The template is invalid: body');
    await expect(server.templates.update('a', wrong({ state: 'paused' }))).rejects.toThrow('state');
    await expect(server.templates.update('a', { status: 'paused' })).rejects.toThrow(
      'No template of this workspace has the id "a".',
    );
    expect(await server.templates.list()).toEqual([]);
  });
});

describe('the segments and journeys of a running workspace', () => {
  test('are added, replaced and taken away', async () => {
    const server = startServer({ contacts: [{ phone, properties: { city: 'Paris' } }] });
    const contact = await server.client.contacts.find(phone);
    const parisians = { id: 'city', where: [{ property: 'city', equals: 'Paris' }] };
    await server.segments.put(parisians);
    expect(await server.journal.segmentMembers('city')).toEqual([contact?.id]);
    expect(await server.segments.put({ id: 'city', event: 'seen', within: '1d' })).toEqual({
      id: 'city',
      event: 'seen',
      atLeast: 1,
      within: '1d',
    });
    expect(await server.segments.list()).toHaveLength(1);
    expect(await server.journal.segmentMembers('city')).toEqual([]);
    expect(await server.segments.remove('city')).toBe(true);
    expect(await server.segments.remove('city')).toBe(false);
    await expect(server.journal.segmentMembers('city')).rejects.toThrow('No segment');
    await expect(server.segments.put(wrong({ id: 'x' }))).rejects.toThrow('The segment is invalid: event');
  });

  test('start with the next event', async () => {
    const server = startServer({ templates: [{ id: 'thanks', body: 'Thank you!' }], contacts: [{ phone }] });
    const track = async () => {
      await server.client.events.track({ event: 'order_placed', phone });
      await server.settled();
    };
    await track();
    const journey = { id: 'thank', event: 'order_placed', steps: [{ send: 'thanks' }] };
    expect(await server.journeys.put(journey)).toEqual(journey);
    await track();
    expect((await server.journal.sends()).map(({ templateId }) => templateId)).toEqual(['thanks']);
    expect(await server.journeys.list()).toEqual([journey]);
    expect(await server.journeys.remove('thank')).toBe(true);
    expect(await server.journeys.remove('thank')).toBe(false);
    await track();
    expect(await server.journal.sends()).toHaveLength(1);
  });

  test('have whoever is on the way through a journey go on by what there is then', async () => {
    const server = startServer({
      templates: [
        { id: 'one', body: '1' },
        { id: 'two', body: '2' },
      ],
      contacts: [{ phone }],
      journeys: [
        { id: 'replaced', event: 'seen', steps: [{ wait: '1h' }, { send: 'one' }] },
        { id: 'removed', event: 'seen', steps: [{ wait: '1h' }, { send: 'one' }] },
      ],
    });
    await server.client.events.track({ event: 'seen', phone });
    await server.settled();
    await server.journeys.put({ id: 'replaced', event: 'seen', steps: [{ wait: '1h' }, { send: 'two' }] });
    await server.journeys.remove('removed');
    await server.clock.advance('1h');
    expect((await server.journal.sends()).map(({ templateId }) => templateId)).toEqual(['two']);
    expect((await server.journal.journeyRuns()).map(({ status }) => status)).toEqual([
      'finished',
      'finished',
    ]);
  });

  test('name only what there is', async () => {
    const server = startServer({ templates: [{ id: 'hi', body: 'Hi {{1}}' }] });
    const put = (steps: Parameters<typeof server.journeys.put>[0]['steps']) =>
      server.journeys.put({ id: 'j', event: 'seen', steps });
    await expect(put([{ send: 'bye' }])).rejects.toThrow('steps[0].send is not the id of a template');
    await expect(put([{ wait: 1 }, { send: 'hi' }])).rejects.toThrow('steps[1].variables must have a value');
    await expect(put([{ branch: { segment: 'vip' }, do: [{ wait: 1 }] }])).rejects.toThrow(
      'steps[0].branch.segment is not the id of a segment',
    );
    await expect(put([])).rejects.toThrow('The journey is invalid: steps');
    expect(await server.journeys.list()).toEqual([]);
  });
});

describe('the specGaps of a running workspace', () => {
  test('are other ones from the next request on, for whom no key opens a workspace too', async () => {
    const server = startServer({ specGaps: { contactBody: 'data' } });
    expect(server.specGaps.read()).toMatchObject({ contactBody: 'data', unknownIdStatus: 404 });
    const changed = server.specGaps.set({ unknownIdStatus: 410, unauthorizedStatus: 403 });
    expect(changed).toEqual(server.specGaps.read());
    expect(changed).toMatchObject({ contactBody: 'data', unknownIdStatus: 410 });
    await expect(server.client.contacts.get('nobody')).rejects.toMatchObject({ status: 410 });
    const response = await server.fetch(new Request('http://localhost/api/v1/templates'));
    expect(response.status).toBe(403);
  });

  test('are its own, and refused by their names', () => {
    const server = startServer();
    const other = server.workspace();
    server.specGaps.set({ errorBody: 'text' });
    expect(other.specGaps.read().errorBody).toBe('nested');
    expect(() => server.specGaps.set(wrong({ errorbody: 'flat' }))).toThrow('errorbody is not a switch');
    expect(() => server.specGaps.set(wrong({ listBody: 'flat' }))).toThrow(
      'The change of specGaps is invalid',
    );
    expect(server.specGaps.read()).toMatchObject({ errorBody: 'text', listBody: 'data' });
  });
});
