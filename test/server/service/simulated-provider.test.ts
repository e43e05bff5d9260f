import { rejectedPhones } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { askWith, field, startServer } from '../support/reference.js';

const phones = Object.keys(rejectedPhones);

describe('the phones that the simulated provider rejects', () => {
  test('lie in the range that is reserved for fiction, each with a reason of its own', () => {
    expect(phones.length).toBeGreaterThanOrEqual(9);
    expect(phones.filter((phone) => !/^\+1\d{3}55501\d\d$/.test(phone))).toEqual([]);
    expect(new Set(Object.values(rejectedPhones)).size).toBe(phones.length);
  });

  test.each(Object.entries(rejectedPhones))('%s gives 422 send_failed: %s', async (phone, reason) => {
    const server = startServer({
      quota: 1,
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      contacts: [{ phone }],
    });
    const { status, body } = await askWith(server)('POST', '/v1/transactional', {
      phone,
      templateId: 'welcome',
    });
    expect([status, field(field(body, 'error'), 'code')]).toEqual([422, 'send_failed']);
    expect(field(field(body, 'error'), 'message')).toContain(reason);
    expect(await server.journal.quota()).toMatchObject({ quota: 1 });
    expect(await server.journal.sends()).toEqual([]);
  });

  test('cannot be added to by who imports them', () => {
    const before = { ...rejectedPhones };
    expect(() => Object.assign(rejectedPhones, { '+15551234567': 'no' })).toThrow(TypeError);
    expect(rejectedPhones).toEqual(before);
  });
});
