import type { PropertyValue } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { field } from '../../server/support/reference.js';
import { bodyOf } from '../delivery-body.js';
import { expectRefusal, openServer, phone, receiver } from './gap-server.js';

describe('what the reference server accepts, where the document shows nothing', () => {
  test('find with an unencoded + gives 400 that names %2B, or may understand it', async () => {
    const refused = await openServer().ask('GET', `/v1/contacts/find?phone=${phone}`);
    expectRefusal(refused, 400, 'invalid_request', 'phone');
    expect(JSON.stringify(refused.body)).toContain('%2B');

    const { ask, create } = openServer({ unencodedPlus: 'accept' });
    const id = await create();
    for (const query of ['+15551234567', '%2B15551234567', '%2015551234567']) {
      const found = await ask('GET', `/v1/contacts/find?phone=${query}`);
      expect(found).toMatchObject({ status: 200, body: { id } });
    }
    for (const query of ['15551234567', '++15551234567', '+x']) {
      expect((await ask('GET', `/v1/contacts/find?phone=${query}`)).status, query).toBe(400);
    }
  });

  test('another phone among the properties of an update gives 400, or may be ignored', async () => {
    const body = { properties: { phone: '+442071838750', city: 'Paris' } };
    const refusing = openServer();
    const refused = await refusing.ask('PUT', `/v1/contacts/${await refusing.create()}`, body);
    expectRefusal(refused, 400, 'invalid_request', 'properties.phone');

    const { ask, create } = openServer({ changedPhone: 'ignore' });
    const id = await create();
    for (const response of [
      await ask('PUT', `/v1/contacts/${id}`, body),
      await ask('POST', '/v1/contacts', { phone, ...body }),
    ]) {
      expect([response.status, response.body]).toEqual([200, { id, properties: { phone, city: 'Paris' } }]);
    }
  });

  test('a property may be nested or null, and is given back as it is', async () => {
    const { ask, messaging, drifts } = openServer({ nestedProperty: 'accept' });
    const properties = { address: { city: 'London', lines: [1, [null]] }, note: null, tags: ['a', 1] };
    const { status, body } = await ask('POST', '/v1/contacts', { phone, properties });
    expect(status).toBe(201);
    expect(body).toMatchObject({ properties: { phone, ...properties } });
    const id = String(field(body, 'id'));
    const update = { properties: { note: { text: 'x' } } };
    const all = { ...properties, ...update.properties };
    const updated = await ask('PUT', `/v1/contacts/${id}`, update);
    expect(updated).toMatchObject({ status: 200, body: { properties: all } });
    expect((await messaging.contacts.get(id)).properties).toEqual({ phone, ...all });
    expect(drifts).toEqual(['contacts.get']);
    const refused = await ask('POST', '/v1/contacts', { phone, properties: [] });
    expectRefusal(refused, 400, 'invalid_request', 'properties');
  });

  test('a condition on a property that is nested is not met, and breaks nothing', async () => {
    const where = [
      { property: 'nested', equals: 'x' },
      { property: 'nested', includes: 'x' },
      { property: 'nested', atLeast: 1 },
    ];
    const { server, ask, create } = openServer(
      { nestedProperty: 'accept' },
      { segments: where.map((condition, index) => ({ id: `segment-${index}`, where: [condition] })) },
    );
    const nested: Record<string, PropertyValue | object> = { nested: { includes: ['x'], valueOf: 1 } };
    await create(nested);
    for (const index of where.keys()) {
      expect(await server.journal.segmentMembers(`segment-${index}`)).toEqual([]);
    }
    expect((await ask('GET', '/v1/templates')).status).toBe(200);
  });

  test('a subscription may need its url alone, and is to all events then', async () => {
    const { ask, hooks, server } = openServer({ requiredWebhookFields: 'url' });
    const { url } = receiver;
    const all = ['message.received', 'contact.opted_in', 'contact.opted_out'];
    const created = await ask('POST', '/v1/webhooks', { url });
    expect(created).toMatchObject({ status: 201, body: { url, events: all } });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.settled();
    const delivered = hooks.deliveries.map((delivery) => bodyOf(delivery).event).sort();
    expect(delivered).toEqual(['contact.opted_out', 'message.received']);
    expectRefusal(await ask('POST', '/v1/webhooks', { url, events: [] }), 400, 'invalid_request', 'events');
    const one = await ask('POST', '/v1/webhooks', { url, events: ['contact.opted_in'] });
    expect(one.body).toMatchObject({ events: ['contact.opted_in'] });
  });
});
