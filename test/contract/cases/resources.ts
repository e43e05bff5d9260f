import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, phone } from '../contract-case.js';
import { approvedTemplate } from '../environment.js';

/** §2 Resources and their fields, §3 States and transitions. */
export const resourceCases = [
  contractCase(statements.contactId, async ({ messaging }) => {
    const first = await messaging.contacts.upsert({ phone });
    const second = await messaging.contacts.upsert({ phone: '+442071838750' });
    expect(first.id).toEqual(expect.any(String));
    expect(first.id).not.toBe('');
    expect(second.id).not.toBe(first.id);
  }),

  contractCase(statements.propertyTypes, async ({ messaging }) => {
    const properties = { firstName: 'Ada', visits: 3, subscribed: false, interests: ['chess', 'tea'] };
    const { id } = await messaging.contacts.upsert({ phone, properties });
    expect((await messaging.contacts.get(id)).properties).toMatchObject(properties);
  }),

  contractCase(statements.phoneProperty, async ({ messaging }) => {
    const contact = await messaging.contacts.upsert({ phone });
    expect(contact.properties.phone).toBe(phone);
  }),

  contractCase(statements.propertyNames, async ({ messaging }) => {
    const properties = { 'favourite colour': 'blå', 名前: 'エイダ', 'a.b[0]': true };
    const contact = await messaging.contacts.upsert({ phone, properties });
    expect(contact.properties).toEqual({ ...properties, phone });
  }),

  contractCase(statements.deletionRemovesProperties, async ({ messaging }) => {
    const { id } = await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    await messaging.contacts.delete(id);
    const successor = await messaging.contacts.upsert({ phone });
    expect(successor.properties).toEqual({ phone });
  }),

  contractCase(statements.templateId, async ({ messaging }) => {
    const templates = await messaging.templates.list();
    expect(templates.map(({ id }) => id)).toContain(approvedTemplate);
    for (const { id } of templates) expect(id).toEqual(expect.any(String));
  }),

  contractCase(statements.subscriptionFields, async ({ call, environment }) => {
    const { url } = environment.receiver;
    const events = ['message.received', 'contact.opted_out'];
    const subscription = await (await call('POST', '/v1/webhooks', { url, events })).json();
    expect(subscription).toMatchObject({
      id: expect.any(String),
      url,
      events,
      secret: expect.stringMatching(/^whsec_.+/),
      enabled: expect.any(Boolean),
      createdAt: expect.any(Number),
    });
  }),

  contractCase(statements.subscriptionCreatedAt, async ({ subscribe }) => {
    const { createdAt } = await subscribe();
    expect(Number.isInteger(createdAt)).toBe(true);
    // In seconds this would be a day of 1970.
    expect(new Date(createdAt).getUTCFullYear()).toBeGreaterThan(2000);
  }),

  contractCase(statements.subscriptionEnabled, async ({ subscribe }) => {
    expect((await subscribe()).enabled).toBe(true);
  }),
];
