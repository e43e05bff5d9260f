import { expect, test } from 'vitest';
import { delivered, start } from '../../accounting/histories.js';
import { nameMessages } from './unnamed-messages.js';

const phone = '+15550100000';
const told = { messageId: 'message_1', contactId: 'contact_1', phone, body: 'Hello t1', at: start };
const lost = { phone, body: 'Hello t1', from: 4 };

test('a message whose answer was lost is found in the journal by its text', () => {
  expect(nameMessages([], [lost], [told], []).calls).toEqual([
    {
      kind: 'message',
      phone,
      messageId: 'message_1',
      from: 4,
      to: Number.MAX_SAFE_INTEGER,
      outcome: 'unknown',
    },
  ]);
});

test('a message that was never taken in, or is another call’s, is not found', () => {
  const known = {
    kind: 'message',
    phone,
    messageId: 'message_1',
    from: 1,
    to: 2,
    outcome: 'success',
  } as const;

  expect(nameMessages([], [lost], [], []).calls).toEqual([]);
  expect(nameMessages([known], [lost], [told], []).calls).toEqual([known]);
});

test('a message that the journal does not have is found by its deliveries', () => {
  const data = { ...told, receivedAt: new Date(start).toISOString() };
  const delivery = { ...delivered, body: JSON.stringify({ event: 'message.received', data }) };
  const { messages, calls } = nameMessages([], [lost], [], [delivery]);

  expect(messages).toEqual([told]);
  expect(calls).toHaveLength(1);
});
