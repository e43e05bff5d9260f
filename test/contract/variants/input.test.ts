import type { PropertyValue } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { phone, receiver, refusal, variantServer } from '../defaults/default-server.js';
import { bodyOf } from '../delivery-body.js';

describe('what the reference server takes, where a switch is set', () => {
  test('a property may be nested or null, and is given back as it is', async () => {
    const { call, messaging, drifts } = variantServer({ nestedProperty: 'accept' });
    const properties = { address: { city: 'London', lines: [1, [null]] }, note: null, tags: ['a', 1] };
    const { status, answer } = await call('POST', '/v1/contacts', { phone, properties });
    expect(status).toBe(201);
    expect(answer).toMatchObject({ properties: { phone, ...properties } });
    const id = String(Reflect.get(Object(answer), 'id'));
    const update = { properties: { note: { text: 'x' } } };
    expect(await call('PUT', `/v1/contacts/${id}`, update)).toMatchObject({
      status: 200,
      answer: { properties: { ...properties, ...update.properties } },
    });
    const contact = await messaging.contacts.get(id);
    expect(contact.properties).toEqual({ phone, ...properties, ...update.properties });
    expect(drifts).toEqual(['contacts.get']);
    expect(await call('POST', '/v1/contacts', { phone, properties: [] })).toMatchObject({
      status: 400,
      answer: refusal('invalid_request', 'properties'),
    });
  });

  test('a condition on a property that is nested is not met, and breaks nothing', async () => {
    const where = [
      { property: 'nested', equals: 'x' },
      { property: 'nested', includes: 'x' },
      { property: 'nested', atLeast: 1 },
    ];
    const { server, call, created } = variantServer(
      { nestedProperty: 'accept' },
      { segments: where.map((condition, index) => ({ id: `segment-${index}`, where: [condition] })) },
    );
    const nested: Record<string, PropertyValue | object> = { nested: { includes: ['x'], valueOf: 1 } };
    await created(nested);
    for (const index of where.keys())
      expect(await server.journal.segmentMembers(`segment-${index}`)).toEqual([]);
    expect((await call('GET', '/v1/templates')).status).toBe(200);
  });

  test('another phone among the properties may be ignored', async () => {
    const { call, created } = variantServer({ changedPhone: 'ignore' });
    const id = await created();
    const body = { properties: { phone: '+442071838750', city: 'Paris' } };
    for (const { status, answer } of [
      await call('PUT', `/v1/contacts/${id}`, body),
      await call('POST', '/v1/contacts', { phone, ...body }),
    ]) {
      expect(status).toBe(200);
      expect(answer).toEqual({ id, properties: { phone, city: 'Paris' } });
    }
  });

  test('find may understand a + that was not encoded', async () => {
    const { call, created } = variantServer({ unencodedPlus: 'accept' });
    const id = await created();
    for (const query of ['+15551234567', '%2B15551234567', '%2015551234567']) {
      expect(await call('GET', `/v1/contacts/find?phone=${query}`)).toMatchObject({
        status: 200,
        answer: { id },
      });
    }
    for (const query of ['15551234567', '++15551234567', '+x']) {
      expect((await call('GET', `/v1/contacts/find?phone=${query}`)).status, query).toBe(400);
    }
  });

  test('a subscription may need its url alone, and is to all events then', async () => {
    const { call, hooks, server } = variantServer({ requiredWebhookFields: 'url' });
    const { url } = receiver;
    const { status, answer } = await call('POST', '/v1/webhooks', { url });
    expect(status).toBe(201);
    expect(answer).toMatchObject({
      url,
      events: ['message.received', 'contact.opted_in', 'contact.opted_out'],
    });
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.settled();
    expect(hooks.deliveries.map((delivery) => bodyOf(delivery).event).sort()).toEqual([
      'contact.opted_out',
      'message.received',
    ]);
    expect(await call('POST', '/v1/webhooks', { url, events: [] })).toMatchObject({
      status: 400,
      answer: refusal('invalid_request', 'events'),
    });
    expect((await call('POST', '/v1/webhooks', { url, events: ['contact.opted_in'] })).answer).toMatchObject({
      events: ['contact.opted_in'],
    });
  });
});
