import { expect, test } from 'vitest';
import type { Delivery } from './evidence.js';
import { call, delivered, start } from './histories.js';
import { nameMessages } from './unnamed-messages.js';

const phone = '+15550100000';
const taken = { messageId: 'message_1', contactId: 'contact_1', phone, body: 'START', at: start };
const inJournal = { ...taken, consent: 'opted_in' } as const;
const unnamed = { phone, body: 'START', from: 4 };
const delivery: Delivery = {
  ...delivered,
  body: JSON.stringify({
    event: 'message.received',
    data: { ...taken, receivedAt: new Date(start).toISOString() },
  }),
};
const found = {
  kind: 'message',
  phone,
  messageId: 'message_1',
  consent: 'opted_in',
  from: 4,
  to: Number.MAX_SAFE_INTEGER,
  outcome: 'unknown',
};
const answered = call({ kind: 'message', phone, messageId: 'message_1' }, 1);

test.each([
  ['in the journal by its text', [inJournal], [], [found]],
  ['in its deliveries, without its consent', [], [delivery], [{ ...found, consentIsUnsure: true }]],
  ['nowhere if it was never taken in', [], [], []],
])('a message whose response was lost is found %s', (_, journal, deliveries, calls) => {
  expect(nameMessages([], [unnamed], journal, deliveries).calls).toEqual(calls);
});

test('a message of another call is not taken for one whose response was lost', () => {
  expect(nameMessages([answered], [unnamed], [inJournal], [delivery]).calls).toEqual([answered]);
});
