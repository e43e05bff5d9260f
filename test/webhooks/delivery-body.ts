/** When the deliveries of these tests happened. */
export const happenedAt = Date.parse('2026-01-02T03:04:05.678Z');

/** A clock that stands at that moment, or some milliseconds away from it. */
export const clockAt = (offset = 0) => ({ now: () => happenedAt + offset });

export const secret = 'whsec_3e1f0a9b7c';

export const messageData = {
  conversationId: 'conversation_1',
  messageId: 'message_1',
  contactId: 'contact_1',
  phone: '+15551234567',
  type: 'text',
  body: 'Grüße, \u{1F44B}',
  receivedAt: '2026-01-02T03:04:05.678Z',
};

export const messageDelivery = {
  event: 'message.received',
  workspaceId: 'workspace_1',
  timestamp: '2026-01-02T03:04:05.678Z',
  data: messageData,
};

export const messageBody = JSON.stringify(messageDelivery);
