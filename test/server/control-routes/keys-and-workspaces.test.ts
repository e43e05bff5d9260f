import type { ServerLogEntry } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import {
  askOverSocket,
  askWith,
  field,
  notFound,
  phone,
  refusal,
  startServer,
} from '../support/reference.js';
import { control, startWithControl } from './support.js';

const keyIn = (body: unknown) => ({ apiKey: String(field(body, 'apiKey')) });

test('/control/api-keys issues a key, and rotates or revokes the one that a request carries', async () => {
  const server = startServer();
  const issued = await control(server)('POST', '/api-keys');
  expect(issued).toMatchObject({ status: 201, body: { apiKey: expect.stringMatching(/^key_/) } });
  const second = keyIn(issued.body);
  const rotated = await control(server, second)('POST', '/api-keys/rotate');
  expect(rotated.status).toBe(201);
  const third = keyIn(rotated.body);
  expect((await control(server, second)('POST', '/api-keys/rotate')).status).toBe(401);
  expect(await control(server, third)('DELETE', '/api-keys')).toMatchObject({ status: 204 });
  const statuses = [server, second, third].map(
    async (key) => (await askWith(server, key)('GET', '/v1/templates')).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
});

describe('/control/workspaces', () => {
  test('makes a workspace from a seed by the first one’s key, and ends it', async () => {
    const server = startServer({ now: 0 });
    const made = await control(server)('POST', '/workspaces', { contacts: [{ phone }], quota: 7 });
    expect(made).toMatchObject({ status: 201, body: { workspaceId: expect.stringMatching(/^workspace_/) } });
    const other = keyIn(made.body);
    expect((await control(server, other)('GET', '/quota')).body).toMatchObject({ quota: 7 });
    expect((await askWith(server, other)('GET', '/v1/contacts/find?phone=%2B15551234567')).status).toBe(200);
    expect(await server.client.contacts.find(phone)).toBeNull();

    // Its clock is frozen as the first one's is, and its own.
    await control(server, other)('POST', '/clock/advance', { by: '1d' });
    expect((await control(server)('GET', '/clock')).body).toMatchObject({ now: 0 });

    const path = `/workspaces/${field(made.body, 'workspaceId')}`;
    expect((await control(server)('DELETE', path)).status).toBe(204);
    expect((await askWith(server, other)('GET', '/v1/templates')).status).toBe(401);
    expect(await control(server)('DELETE', path)).toMatchObject(notFound);
  });

  test('lists them to the first one’s key alone', async () => {
    const server = startServer({ now: 0, contacts: [{ phone }] });
    const other = server.workspace({ now: 5 });
    const closed = server.workspace();
    await closed.close();
    const { status, body } = await control(server)('GET', '/workspaces');
    const data = [
      { workspaceId: server.id, isFirst: true, now: 0, contacts: 1 },
      { workspaceId: other.id, isFirst: false, now: 5, contacts: 0 },
    ];
    expect([status, body]).toEqual([200, { data }]);
    expect(await server.workspaces.list()).toEqual(data);
    expect(await control(server, other)('GET', '/workspaces')).toMatchObject({
      status: 403,
      body: refusal('forbidden'),
    });
  });

  test('by another key makes none, and ends its own alone', async () => {
    const server = startServer();
    const [mine, theirs] = [server.workspace(), server.workspace()];
    const ask = control(server, mine);
    const forbidden = { status: 403, body: refusal('forbidden') };
    expect(await ask('POST', '/workspaces', {})).toMatchObject(forbidden);
    expect(await ask('DELETE', `/workspaces/${theirs.id}`)).toMatchObject(forbidden);
    expect(await ask('DELETE', `/workspaces/${server.id}`)).toMatchObject(forbidden);
    expect(await control(server)('DELETE', `/workspaces/${server.id}`)).toMatchObject(forbidden);
    expect((await ask('DELETE', `/workspaces/${mine.id}`)).status).toBe(204);
    expect(await theirs.client.templates.list()).toEqual([]);
    await expect(mine.client.templates.list()).rejects.toMatchObject({ status: 401 });
  });

  test.each([
    [{ apiKey: 'taken' }, 'Another workspace of this server has this id or this API key.'],
    [
      { managedWebhooks: [{ url: 'http://example.com', events: ['message.received'] }] },
      'managedWebhooks[0].url must begin with https://',
    ],
  ])('refuses a seed that cannot be had, and says why: %j', async (seed, why) => {
    const { status, body } = await control(startServer({ apiKey: 'taken' }))('POST', '/workspaces', seed);
    expect([status, body]).toEqual([400, refusal('invalid_request')]);
    expect(field(field(body, 'error'), 'message')).toContain(why);
    expect(field(field(body, 'error'), 'message')).not.toContain('The body');
  });
});

describe('the control surface', () => {
  test('keeps its formats and has no rate limit, whatever the specGaps are', async () => {
    const { ask } = startWithControl({
      specGaps: { errorBody: 'empty', listBody: 'array', rateLimit: { requests: 1, per: '1d' } },
    });
    for (let i = 0; i < 3; i += 1) expect(await ask('GET', '/sends')).toMatchObject({ body: { data: [] } });
    expect(await ask('POST', '/faults', {})).toMatchObject({ status: 400, body: refusal('invalid_request') });
    expect(await ask('GET', '/sends', undefined, { Authorization: undefined })).toMatchObject({
      status: 401,
      body: refusal('unauthorized'),
    });
  });

  test('has no faults, and records nothing in the journal', async () => {
    const { ask } = startWithControl({
      faults: [{ operation: 'any', fault: { kind: 'status', status: 503 } }],
    });
    expect((await ask('GET', '/quota')).status).toBe(200);
    expect((await ask('GET', '/journal')).body).toMatchObject({ data: [] });
  });

  test('is served on the socket, and logs no key, phone or secret', async () => {
    const log: ServerLogEntry[] = [];
    const server = startServer({ apiKey: 'canary_key', log: (entry) => log.push({ ...entry, time: '' }) });
    const askApi = await askOverSocket(server);
    const ask: typeof askApi = (method, path, body) => askApi(method, `/../control${path}`, body);
    await ask('GET', '/consent?phone=%2B15551234567');
    await ask('POST', '/inbound-messages', { phone, body: 'canary_text' });
    await ask('POST', '/managed-webhooks', {
      url: 'https://example.com/canary_url',
      events: ['message.received'],
      secret: 'whsec_canary',
    });
    await ask('DELETE', '/workspaces/canary_id');
    const { body } = await ask('POST', '/api-keys');
    expect(log.flatMap((entry) => (entry.type === 'request' ? entry.path : []))).toEqual([
      '/control/consent',
      '/control/inbound-messages',
      '/control/managed-webhooks',
      '/control/workspaces/:id',
      '/control/api-keys',
    ]);
    const text = JSON.stringify(log);
    expect(text).not.toMatch(/canary|15551234567/);
    expect(text).not.toContain(keyIn(body).apiKey);
  });
});
