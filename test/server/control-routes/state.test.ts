import { describe, expect, test } from 'vitest';
import { field, phone } from '../support/reference.js';
import { control, startWithControl } from './support.js';

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
