/** The JSON of a delivery as the document shows it, of about as many bytes; a message of its own by its id. */
export function deliveryOf(bytes: number, messageId = 'message_01J9ZK3T'): string {
  const timestamp = new Date().toISOString();
  const data = {
    conversationId: 'conversation_01J9ZK3T',
    messageId,
    contactId: 'contact_01J9ZK3T',
    phone: '+15551234567',
    type: 'text',
    body: '',
    receivedAt: timestamp,
  };
  const delivery = { event: 'message.received', workspaceId: 'workspace_01J9ZK3T', timestamp, data };
  data.body = 'Hello, Ada! '.repeat(Math.ceil((bytes - JSON.stringify(delivery).length) / 12));
  return JSON.stringify(delivery);
}
