import { expect, test } from 'vitest';
import type { MessageReceivedEvent } from '../../../src/contract/delivery.js';
import { contactGroup } from '../../../src/webhooks/order/contact-group.js';
import { messageData, messageDelivery } from '../delivery-body.js';

const event = (data: object, workspaceId = 'workspace_1'): MessageReceivedEvent => ({
  ...messageDelivery,
  event: 'message.received',
  workspaceId,
  data: { ...messageData, ...data },
});

test('a contact has one group, whatever it does', () => {
  const group = contactGroup(event({ contactId: 'contact_1', messageId: 'a' }), 'secret');

  expect(group).toBe(contactGroup(event({ contactId: 'contact_1', messageId: 'b' }), 'secret'));
  // SQS takes 128 characters, and no colon is in the id of a job of BullMQ.
  expect(group).toMatch(/^contact-[0-9a-f]{64}$/);
});

test('contacts, workspaces and secrets have groups of their own', () => {
  const groups = [
    contactGroup(event({ contactId: 'contact_1' }), 'secret'),
    contactGroup(event({ contactId: 'contact_2' }), 'secret'),
    contactGroup(event({ contactId: 'contact_1' }, 'workspace_2'), 'secret'),
    contactGroup(event({ contactId: 'contact_1' }), 'other secret'),
    contactGroup(event({ contactId: 'contact_1' }), { bytes: 'ff' }),
    contactGroup(event({ contactId: '1","contact_1' }), 'secret'),
  ];

  expect(new Set(groups).size).toBe(groups.length);
});

test.each([undefined, null, '', 1, ['contact_1'], {}])(
  'an event with the contact %j has no group',
  (contactId) => {
    expect(contactGroup(event({ contactId }), 'secret')).toBeUndefined();
  },
);
