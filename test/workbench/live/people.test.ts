import { expect, test } from 'vitest';
import { People } from '../../../src/workbench/live/people.js';
import type { EntryJson } from '../../../src/workbench/surface/entry.js';
import { ada, attemptOf, deliveryOf, linus, messageOf } from '../entries.js';

function requestOf(operation: string, path: string, responseBody?: object, status = 200): EntryJson {
  return {
    type: 'request',
    number: 1,
    at: 1,
    requestId: 'request_1',
    method: 'POST',
    operation,
    path,
    status,
    ...(responseBody !== undefined && { responseBody: JSON.stringify(responseBody) }),
  };
}

const upsert = (properties: object, status?: number) =>
  requestOf('contacts.upsert', '/api/v1/contacts', { id: ada.contactId, properties }, status);

function knowing(...entries: readonly EntryJson[]): People {
  const people = new People();
  for (const entry of entries) people.add(entry);
  return people;
}

test('who did something last comes first, each once, then those that the server listed', () => {
  const people = knowing(
    messageOf(1, linus),
    messageOf(2),
    messageOf(3, linus),
    attemptOf(4, deliveryOf('a')),
  );
  people.list([
    { id: ada.contactId, phone: ada.phone, properties: { firstName: 'Ada' } },
    { id: 'c', phone: '+3', properties: {} },
  ]);
  expect([...people.all.values()]).toEqual([
    { id: linus.contactId, phone: linus.phone },
    { id: ada.contactId, phone: ada.phone, name: 'Ada' },
    { id: 'c', phone: '+3' },
  ]);
});

test('a request that names a contact gives the name, and later ones another', () => {
  const people = knowing(upsert({ phone: ada.phone, firstName: 'Ada' }));
  expect(people.of({ phone: ada.phone })?.name).toBe('Ada');
  people.add(upsert({ phone: ada.phone, firstName: 'Augusta' }));
  // The list may be older than the request.
  people.list([{ id: ada.contactId, phone: ada.phone, properties: { firstName: 'Ada' } }]);
  expect(people.of({ contactId: ada.contactId })?.name).toBe('Augusta');
  people.add(requestOf('contacts.update', '', { id: ada.contactId, properties: { firstName: 'Countess' } }));
  expect(people.of({ phone: ada.phone })?.name).toBe('Countess');
});

test('a request that was refused, or that is of something else, names nobody', () => {
  const webhook = requestOf('webhooks.create', '/api/v1/webhooks', { id: 'w', properties: { phone: '+1' } });
  const people = knowing(upsert({ phone: ada.phone, firstName: 'Ada' }, 400), webhook);
  expect(people.all.size).toBe(0);
  expect(people.of({ phone: ada.phone })).toEqual({ id: ada.phone, phone: ada.phone });
  expect(people.of({ contactId: 'w' })).toEqual({ id: 'w', phone: 'w' });
  expect(people.of({})).toBeUndefined();
});

test('a deleted contact is known as deleted, and keeps the name', () => {
  const people = knowing(
    upsert({ phone: ada.phone, firstName: 'Ada' }),
    requestOf('contacts.delete', `/api/v1/contacts/${ada.contactId}`, undefined, 204),
  );
  expect([people.isDeleted(ada.contactId), people.isDeleted(linus.contactId)]).toEqual([true, false]);
  expect(people.of(ada)?.name).toBe('Ada');
});

test('the version grows with what is new, and with nothing else', () => {
  const people = knowing(messageOf(1));
  const { version } = people;
  people.add(messageOf(2));
  people.list([]);
  expect(people.version).toBe(version);
  people.list([{ id: ada.contactId, phone: ada.phone, properties: { firstName: 'Ada' } }]);
  expect(people.version).toBeGreaterThan(version);
});
