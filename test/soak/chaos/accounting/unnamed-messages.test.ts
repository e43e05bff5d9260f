import { expect, test } from 'vitest';
import type { Delivery } from '../../accounting/evidence.js';
import { call, delivered, start } from '../../accounting/histories.js';
import type { Call } from '../../calls.js';
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

test('a message that the journal does not have has changed the consent only where no other has', () => {
  const at = new Date(start).toISOString();
  const deliveryOf = (event: Delivery['event'], data: object): Delivery => ({
    ...delivered,
    event,
    body: JSON.stringify({ event, data }),
  });
  const lostStart = { ...told, messageId: 'message_2', body: 'START' };
  const received = deliveryOf('message.received', { ...lostStart, receivedAt: at });
  const optedIn = deliveryOf('contact.opted_in', { contactId: told.contactId, occurredAt: at });
  const known = { ...told, body: 'START', consent: 'opted_in' } as const;
  const answered = call({ kind: 'message', phone, messageId: 'message_1', consent: 'opted_in' }, 1);
  const consentOfLost = (
    deliveries: readonly Delivery[],
    inJournal: readonly (typeof known)[],
    calls: readonly Call[] = [],
  ) =>
    nameMessages(calls, [], inJournal, deliveries).messages.find(({ messageId }) => messageId === 'message_2')
      ?.consent;

  expect(consentOfLost([received, optedIn], [])).toBe('opted_in');
  expect(consentOfLost([received, optedIn], [known])).toBe(undefined);
  expect(consentOfLost([received, optedIn, optedIn], [known])).toBe('opted_in');
  expect(consentOfLost([received, optedIn, { ...optedIn, redeliveryOf: optedIn.id }], [known])).toBe(
    undefined,
  );
  expect(consentOfLost([received, optedIn, { ...optedIn, subscriptionId: 'webhook_2' }], [known])).toBe(
    undefined,
  );
  const other = deliveryOf('message.received', { ...known, receivedAt: at });
  expect(consentOfLost([received, other, optedIn], [], [answered])).toBe(undefined);
});
