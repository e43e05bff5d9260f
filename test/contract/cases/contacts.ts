import { NotFoundError } from 'messaging-automation';
import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, phone } from '../contract-case.js';

const inQuery = encodeURIComponent(phone);

/** §4, the endpoints under /v1/contacts. */
export const contactCases = [
  contractCase(statements.upsertCreates, async ({ call }) => {
    const response = await call('POST', '/v1/contacts', { phone, properties: { firstName: 'Ada' } });
    expect(response.status).toBe(201);
  }),

  contractCase(statements.upsertUpdates, async ({ call }) => {
    await call('POST', '/v1/contacts', { phone });
    const response = await call('POST', '/v1/contacts', { phone, properties: { firstName: 'Ada' } });
    expect(response.status).toBe(200);
  }),

  contractCase(statements.upsertResponse, async ({ call }) => {
    const properties = { firstName: 'Ada', visits: 3 };
    for (const status of [201, 200]) {
      const response = await call('POST', '/v1/contacts', { phone, properties });
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await response.json()).toMatchObject({
        id: expect.any(String),
        properties: { phone, ...properties },
      });
    }
  }),

  contractCase(statements.upsertIdempotent, async ({ messaging }) => {
    const input = { phone, properties: { firstName: 'Ada' } };
    const first = await messaging.contacts.upsert(input);
    const second = await messaging.contacts.upsert(input);
    expect(second).toEqual(first);
  }),

  contractCase(statements.upsertChangesExisting, async ({ messaging }) => {
    const { id } = await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    const updated = await messaging.contacts.upsert({ phone, properties: { firstName: 'Grace' } });
    expect(updated).toMatchObject({ id, properties: { phone, firstName: 'Grace' } });
    expect((await messaging.contacts.get(id)).properties).toMatchObject({ firstName: 'Grace' });
  }),

  contractCase(statements.upsertWithoutProperties, async ({ call }) => {
    const response = await call('POST', '/v1/contacts', { phone });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ properties: { phone } });
  }),

  contractCase(statements.findByPhone, async ({ call, messaging }) => {
    const { id } = await messaging.contacts.upsert({ phone });
    expect(inQuery).toBe('%2B15551234567');
    expect((await call('GET', `/v1/contacts/find?phone=${inQuery}`)).ok).toBe(true);
    expect(await messaging.contacts.find(phone)).toMatchObject({ id, properties: { phone } });
  }),

  contractCase(statements.findNobody, async ({ call, messaging }) => {
    expect((await call('GET', `/v1/contacts/find?phone=${inQuery}`)).status).toBe(404);
    expect(await messaging.contacts.find(phone)).toBeNull();
  }),

  contractCase(statements.getContact, async ({ messaging }) => {
    await messaging.contacts.upsert({ phone: '+442071838750' });
    const { id } = await messaging.contacts.upsert({ phone, properties: { city: 'London' } });
    expect(await messaging.contacts.get(id)).toMatchObject({ id, properties: { phone, city: 'London' } });
  }),

  contractCase(statements.updateContact, async ({ messaging }) => {
    const { id } = await messaging.contacts.upsert({
      phone,
      properties: { firstName: 'Ada', city: 'London' },
    });
    await messaging.contacts.update(id, { properties: { city: 'Paris', visits: 1 } });
    expect((await messaging.contacts.get(id)).properties).toEqual({
      phone,
      firstName: 'Ada',
      city: 'Paris',
      visits: 1,
    });
  }),

  contractCase(statements.deleteContact, async ({ call, messaging }) => {
    const { id } = await messaging.contacts.upsert({ phone });
    const response = await call('DELETE', `/v1/contacts/${id}`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
  }),

  contractCase(statements.deletionIsFinal, async ({ messaging }) => {
    const { id } = await messaging.contacts.upsert({ phone });
    await messaging.contacts.delete(id);
    expect(await messaging.contacts.find(phone)).toBeNull();
    await expect(messaging.contacts.get(id)).rejects.toThrow(NotFoundError);
    expect((await messaging.contacts.upsert({ phone })).id).not.toBe(id);
  }),
];
