import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { conversationOf, type Turn } from '../../../src/workbench/reading/conversation.js';
import type { EntryJson } from '../../../src/workbench/surface/entry.js';
import { ada, deliveryOf, linus, messageOf, stepOf } from '../entries.js';

const { phone, contactId } = ada;

/** The journal as the page gets it: over HTTP. */
async function journalOf(server: ReturnType<typeof createReferenceServer>): Promise<readonly EntryJson[]> {
  const response = await server.fetch(
    new Request('http://workbench.test/control/journal', {
      headers: { Authorization: `Bearer ${server.apiKey}` },
    }),
  );
  return (await response.json()).data;
}

function inShort(turns: readonly Turn[]): readonly string[] {
  return turns.map((turn) => {
    if (turn.kind === 'sent') return `sent: ${turn.send.text}`;
    if (turn.kind === 'note') return `(${turn.text})`;
    return `wrote: ${turn.text} [${turn.deliveries.map(({ status }) => status).join(', ')}]`;
  });
}

test('a conversation has what both sides wrote, and what happened between, in order', async () => {
  await using server = createReferenceServer({
    clock: 'frozen',
    templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }],
    contacts: [{ phone, properties: { firstName: 'Ada' } }, { phone: '+15557654321' }],
    journeys: [
      {
        id: 'greeting',
        event: 'signed_up',
        steps: [{ send: 'welcome', variables: { '1': { contact: 'firstName' } } }],
      },
    ],
  });
  await server.simulate.inboundMessage({ phone, body: 'START' });
  await server.simulate.inboundMessage({ phone: '+15557654321', body: 'Not of this conversation' });
  await server.client.events.track({ phone, event: 'signed_up' });
  await server.settled();
  const contact = await server.client.contacts.find(phone);
  const turns = conversationOf(contact?.id ?? '', { entries: await journalOf(server) });
  expect(inShort(turns)).toEqual([
    'wrote: START []',
    '(opted in)',
    '(event signed_up)',
    '(journey greeting began)',
    'sent: Welcome, Ada!',
    '(journey greeting ended)',
  ]);
  expect(new Set(turns.map(({ key }) => key)).size).toBe(turns.length);
});

test('a message has its deliveries, each as it was last', () => {
  const pending = deliveryOf('message_1', { status: 'pending' });
  const delivered = deliveryOf('message_1', { status: 'delivered' });
  const entries = [messageOf(1, { messageId: 'message_1' })];
  expect(conversationOf(contactId, { entries, deliveries: [pending, delivered] })).toEqual([
    {
      kind: 'wrote',
      key: 'message_1',
      at: 1,
      entry: 1,
      text: 'Hello',
      deliveries: [delivered],
    },
  ]);
});

test('what the server still knows from before its journal comes first, each once', () => {
  const send = {
    id: 'send_1',
    status: 'sent',
    ...ada,
    templateId: 'welcome',
    variables: {},
    text: 'Welcome!',
    paidBy: 'plan',
    sentAt: 5,
  } as const;
  const later = { ...send, id: 'send_2', text: 'Again!', sentAt: 20 };
  const earlier = {
    sends: [send, { ...send, ...linus, id: 'send_3' }, later],
    deliveries: [deliveryOf('message_2', { createdAt: 7 }), deliveryOf('message_1', { createdAt: 3 })],
  };
  const entries: readonly EntryJson[] = [{ type: 'send', number: 1, at: 20, send: later }];
  expect(inShort(conversationOf(contactId, { entries, ...earlier }))).toEqual([
    'wrote: Hello [delivered]',
    'sent: Welcome!',
    'wrote: Hello [delivered]',
    'sent: Again!',
  ]);
});

test('a journey that fails says why', () => {
  const failed = stepOf(1, { status: 'failed', error: 'No template has this id.' });
  const [turn] = conversationOf(contactId, { entries: [failed] });
  expect(turn).toMatchObject({
    kind: 'note',
    tone: 'bad',
    text: 'journey greeting failed: No template has this id.',
  });
});
