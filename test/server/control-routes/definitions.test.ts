import { describe, expect, test } from 'vitest';
import { field, invalid, notFound, otherPhone, phone, refusal, startServer } from '../support/reference.js';
import { control, dataOf, startWithControl } from './support.js';

describe('the definitions of a workspace over HTTP', () => {
  test.each([
    ['templates', { id: 'hi', body: 'Hi {{1}}' }, { status: 'approved', variables: ['1'] }, 'body'],
    ['segments', { id: 'seen', event: 'seen', within: '1d' }, { atLeast: 1 }, 'event'],
    ['journeys', { id: 'j', event: 'seen', steps: [{ wait: '1h' }] }, {}, 'event'],
  ])('%s are put, listed and removed', async (name, item, added, required) => {
    const ask = control(startServer());
    const { [required]: _, ...incomplete }: Record<string, unknown> = item;
    expect(await ask('PUT', `/${name}`, item)).toMatchObject({ status: 200, body: { ...item, ...added } });
    expect(dataOf((await ask('GET', `/${name}`)).body)).toMatchObject([{ ...item, ...added }]);
    expect(await ask('PUT', `/${name}`, incomplete)).toMatchObject(invalid(required));
    expect(await ask('DELETE', `/${name}/${item.id}`)).toMatchObject({ status: 204 });
    expect(await ask('DELETE', `/${name}/${item.id}`)).toMatchObject(notFound);
  });

  test('a template is updated by its id, and a journey names only known templates', async () => {
    const ask = control(startServer({ templates: [{ id: 'hi', body: 'Hi {{1}}' }] }));
    expect(await ask('PUT', '/templates/hi', { status: 'paused' })).toMatchObject({
      status: 200,
      body: { body: 'Hi {{1}}', status: 'paused' },
    });
    expect(await ask('PUT', '/templates/x', {})).toMatchObject(notFound);
    const journey = { id: 'j', event: 'seen', steps: [{ send: 'none' }] };
    expect(await ask('PUT', '/journeys', journey)).toMatchObject(invalid('steps[0].send'));
  });

  test('quota and specGaps are read and changed', async () => {
    const { server, ask } = startWithControl({ quota: 5 });
    const quota = { status: 200, body: { quota: 5, addOnCredits: 2 } };
    expect(await ask('PUT', '/quota', { addOnCredits: 2 })).toMatchObject(quota);
    expect(await ask('GET', '/quota')).toMatchObject(quota);
    const changed = await ask('PUT', '/spec-gaps', { unknownIdStatus: 410, retryBackoff: ['1s', 5_000] });
    expect([changed.status, changed.body]).toEqual([200, JSON.parse(JSON.stringify(server.specGaps.read()))]);
    expect((await ask('GET', '/spec-gaps')).body).toMatchObject({ unknownIdStatus: 410 });
    expect(await ask('PUT', '/spec-gaps', { unknownIdStatus: 403 })).toMatchObject(
      invalid('unknownIdStatus'),
    );
  });

  test('contacts are listed by page and filter, and read by id or phone', async () => {
    const properties = { city: 'Paris', note: 'a:b', age: 5 };
    const { ask } = startWithControl({ contacts: [{ phone, properties }, { phone: otherPhone }] });
    const phones = async (query: string) =>
      dataOf((await ask('GET', `/contacts${query}`)).body).map((contact) => field(contact, 'phone'));
    expect(await phones('?property=city:Paris&property=note:a:b&property=age:5')).toEqual([phone]);
    expect(await phones('?property=city:Rome')).toEqual([]);
    expect(await phones('?consent=unknown&phone=%2B442071838750')).toEqual([otherPhone]);
    const first = await ask('GET', '/contacts?limit=1');
    expect(first.body).toMatchObject({ data: [{ phone }], more: true });
    expect(await phones(`?cursor=${field(first.body, 'cursor')}`)).toEqual([otherPhone]);
    for (const name of [field(dataOf(first.body)[0], 'id'), '%2B15551234567']) {
      expect(await ask('GET', `/contacts/${name}`)).toMatchObject({
        status: 200,
        body: { phone, properties },
      });
    }
    expect(await ask('GET', '/contacts/nobody')).toMatchObject(notFound);
  });

  test('a workspace is reset', async () => {
    const { server, ask } = startWithControl({ contacts: [{ phone }] });
    await server.simulate.inboundMessage({ phone: otherPhone, body: 'STOP' });
    expect(await ask('POST', '/reset')).toMatchObject({ status: 204, body: undefined });
    expect(dataOf((await ask('GET', '/contacts')).body)).toMatchObject([{ phone }]);
    expect((await ask('GET', '/journal')).body).toEqual({ data: [], more: false, cursor: '0', forgotten: 0 });
  });
});

test.each([
  ['/sends?template=hi', 'template', 'is not a known field (do you mean templateId?)'],
  ['/sends?flavour=x', 'flavour', 'is not a known field; remove it or check its spelling'],
  ['/sends?phone=x', 'phone', 'is not a known field'],
  ['/deliveries?state=failed', 'state', 'is not a known field'],
  ['/quota?x=1', 'x', 'is not a known field'],
  ['/contacts?property=Paris', 'property', 'must be a name and a value'],
  ['/contacts?phone= 15551234567', 'phone', 'as %2B'],
  ['/sends?contact=+15551234567', 'contact', 'as %2B'],
  ['/consent?phone=+15551234567', 'phone', 'as %2B'],
  ['/sends?limit=10001', 'limit', 'at most 10000'],
  ['/sends?cursor=x', 'cursor', 'is not the cursor of a page'],
  ['/sends?wait=2', 'wait', 'with its unit'],
  ['/sends?wait=61s', 'wait', 'at most 60s'],
  ['/events?limit=1&limit=2', 'limit', 'must be a string'],
  ['/journal?type=reply', 'type', 'must be'],
  ['/journal?limit=-1', 'limit', 'must be'],
  ['/journal?until=3', 'until', 'is not a known field'],
])('a query that is invalid is rejected with advice: %s', async (path, name, words) => {
  const { status, body } = await control(startServer())('GET', path);
  expect([status, body]).toEqual([400, refusal('invalid_request', name)]);
  expect(field(field(body, 'error'), 'message')).toContain(words);
});

const rule = { operation: 'contacts.find', fault: { kind: 'status', status: 503 } } as const;

test('/control/faults takes a rule, tells how often it was applied, and takes it back', async () => {
  const { server, ask } = startWithControl({ contacts: [{ phone }] });
  const added = await ask('POST', '/faults', rule);
  expect(added).toMatchObject({ status: 201, body: { id: expect.any(String), rule, injected: 0 } });
  await expect(server.client.contacts.find(phone)).rejects.toMatchObject({ status: 503 });
  expect((await ask('GET', '/faults')).body).toMatchObject({ data: [{ rule, matched: 1, injected: 1 }] });

  const path = `/faults/${field(added.body, 'id')}`;
  expect(await ask('DELETE', path)).toMatchObject({ status: 204, body: undefined });
  expect(await server.client.contacts.find(phone)).not.toBeNull();
  expect(await ask('DELETE', path)).toMatchObject(notFound);
  expect(await ask('POST', '/faults', { ...rule, every: 0 })).toMatchObject(invalid('every'));
  await ask('POST', '/faults', rule);
  expect((await ask('DELETE', '/faults')).status).toBe(204);
  expect((await ask('GET', '/faults')).body).toEqual({ data: [] });
});

describe('/control/snapshot', () => {
  test('gives what the workspace holds, and puts it back', async () => {
    const { server, ask } = startWithControl({
      contacts: [{ phone }],
      quota: 5,
      now: '2026-01-01T09:00:00Z',
    });
    const { status, body } = await ask('GET', '/snapshot');
    expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(await server.snapshot()))]);
    await server.client.contacts.delete((await server.client.contacts.find(phone))?.id ?? '');
    await server.clock.advance('1h');
    expect(await ask('PUT', '/snapshot', body)).toMatchObject({ status: 204, body: undefined });
    expect(await server.client.contacts.find(phone)).toMatchObject({ properties: { phone } });
    expect((await ask('GET', '/clock')).body).toMatchObject({ time: '2026-01-01T09:00:00.000Z' });
    expect((await ask('PUT', '/snapshot', { version: 2 })).status).toBe(400);
  });

  test('takes one that is larger than any request of the service may be', async () => {
    const { server, ask } = startWithControl({ bodyLimit: 2_000, contacts: [{ phone }] });
    await server.restore({
      ...(await server.snapshot()),
      contacts: Array.from({ length: 50 }, (_, i) => ({
        id: `contact_${i}`,
        phone: `+1555000${1_000 + i}`,
        properties: {},
        consent: 'unknown' as const,
      })),
    });
    const { body } = await ask('GET', '/snapshot');
    expect(JSON.stringify(body).length).toBeGreaterThan(2_000);
    expect((await ask('PUT', '/snapshot', body)).status).toBe(204);
  });
});

test('/control/seed gives the workspace as a seed, of which another one can be made', async () => {
  const { server, ask } = startWithControl({ apiKey: 'canary_key', contacts: [{ phone }], quota: 5 });
  const { status, body } = await ask('GET', '/seed');
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(await server.seed()))]);
  expect(JSON.stringify(body)).not.toContain('canary_key');
  const made = await ask('POST', '/workspaces', body);
  const other = control(server, { apiKey: String(field(made.body, 'apiKey')) });
  expect((await other('GET', '/seed')).body).toEqual(body);
});
