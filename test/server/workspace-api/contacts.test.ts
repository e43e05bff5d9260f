import { expect, test } from 'vitest';
import { otherPhone, phone, startServer } from '../support/reference.js';

test('contacts.list takes a filter and a page, and rejects a filter with an unknown field', async () => {
  const contacts = [{ phone, properties: { plan: 'pro', age: 5 } }, { phone: otherPhone }];
  const { contacts: list } = startServer({ contacts });
  expect((await list.list({ properties: { plan: 'pro', age: '5' } })).data).toMatchObject([{ phone }]);
  expect((await list.list({ phone: otherPhone, consent: 'opted_in' })).data).toEqual([]);
  const first = await list.list({}, { limit: 1 });
  expect(first).toMatchObject({ data: [{ phone }], more: true });
  const second = await list.list({}, { cursor: first.cursor });
  expect(second).toMatchObject({ data: [{ phone: otherPhone }], more: false });
  const wrong: object = { property: { plan: 'pro' } };
  await expect(list.list(wrong)).rejects.toThrow('"property"; did you mean properties?');
});
