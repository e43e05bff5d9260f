import { expect, test } from 'vitest';
import { everything, type Filter, passes } from '../../../src/workbench/reading/filter.js';
import type { Entry } from '../../../src/workbench/surface/entry.js';
import { ada, attemptOf, deliveryOf, linus, messageOf, stepOf } from '../entries.js';

const request = {
  type: 'request',
  at: 1,
  requestId: 'r',
  operation: 'contacts.upsert',
  method: 'POST',
} as const;

const entries: readonly Entry[] = [
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

test.each<[string, Partial<Filter>, readonly number[]]>([
  ['everything by default', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['each of the named types', { kind: 'message,journey' }, [1, 2, 8, 9]],
  ['what failed, also a request without a response', { outcome: 'failed' }, [4, 5, 6, 8]],
  ['what has the phone of a contact', { contact: linus.phone }, [2, 4]],
  ['what has the id of a contact', { contact: ada.contactId }, [1, 5, 6, 7, 9]],
  ['text in another letter case than in the entry', { text: 'My oRder' }, [1]],
  ['text of the title', { text: 'message.received to localhost' }, [6, 7]],
  ['text of the outcome', { text: 'NO RESPONSE' }, [5, 6, 7]],
])('the filter shows %s', (_, filter, numbers) => {
  const shown = entries.filter((entry) => passes({ ...everything, ...filter }, entry));
  expect(shown.map(({ number }) => number)).toEqual(numbers);
});
