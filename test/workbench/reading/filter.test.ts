import { expect, test } from 'vitest';
import { contactOf } from '../../../src/workbench/reading/describe-entry.js';
import { everything, type Filter, passes } from '../../../src/workbench/reading/filter.js';
import type { Person } from '../../../src/workbench/reading/people.js';
import type { EntryJson } from '../../../src/workbench/surface/entry.js';
import { ada, attemptOf, deliveryOf, linus, messageOf, stepOf } from '../entries.js';

const request = {
  type: 'request',
  at: 1,
  requestId: 'r',
  operation: 'contacts.upsert',
  method: 'POST',
} as const;

const entries: readonly EntryJson[] = [
  messageOf(1, { body: 'Where is my ORDER?' }),
  messageOf(2, { ...linus, body: 'Stop' }),
  { ...request, number: 3, path: '/api/v1/contacts', body: JSON.stringify(ada), status: 201 },
  { ...request, number: 4, path: '/api/v1/contacts', body: JSON.stringify(linus), status: 400 },
  { ...request, number: 5, path: `/api/v1/contacts/${ada.contactId}` },
  attemptOf(6, deliveryOf('message_1'), 'Connection refused'),
  attemptOf(7, deliveryOf('message_1')),
  stepOf(8, { status: 'failed', contactId: linus.contactId, error: 'No template has this id.' }),
  stepOf(9, { status: 'finished' }),
];

/** Whose each entry is, as a journal says it that has all of them. */
function whose(entry: EntryJson): Person | undefined {
  const { phone, contactId } = contactOf(entry);
  if (phone === linus.phone || contactId === linus.contactId)
    return { id: linus.contactId, phone: linus.phone, name: 'Linus' };
  if (phone === undefined && contactId === undefined) return undefined;
  return { id: ada.contactId, phone: ada.phone, name: 'Ádá Lovelace' };
}

test.each<[string, Partial<Filter>, readonly number[]]>([
  ['everything by default', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['each of the named types', { kind: 'message,journey' }, [1, 2, 8, 9]],
  ['what failed, also a request without a response', { outcome: 'failed' }, [4, 5, 6, 8]],
  ['what has the phone of a contact', { contact: linus.phone }, [2, 4, 8]],
  ['what has the id of a contact', { contact: ada.contactId }, [1, 3, 5, 6, 7, 9]],
  ['text in another letter case than in the entry', { text: 'My oRder' }, [1]],
  ['text of the title', { text: 'message.received to localhost' }, [6, 7]],
  ['what is of a contact, by the name', { text: 'Ádá' }, [1, 3, 5, 6, 7, 9]],
  [
    'what is of a contact, by the name without its accents, in another case',
    { text: 'aDA l' },
    [1, 3, 5, 6, 7, 9],
  ],
  ['what is of a contact, by a part of the phone', { text: '5765' }, [2, 4, 8]],
  ['text with accents that the entry does not have', { text: 'Whére ís' }, [1]],
  ['text of the outcome', { text: 'NO RESPONSE' }, [5, 6, 7]],
])('the filter shows %s', (_, filter, numbers) => {
  const shown = entries.filter((entry) => passes({ ...everything, ...filter }, entry, whose));
  expect(shown.map(({ number }) => number)).toEqual(numbers);
});
