import { ConfigurationError } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { field, otherPhone, phone, startServer } from '../support/reference.js';
import { openWorkspace } from '../support/subscribed.js';

/** What came in, by the order in which it happened: the deliveries themselves run side by side. */
async function events(workspace: ReturnType<typeof openWorkspace>): Promise<readonly unknown[]> {
  const deliveries = await workspace.server.journal.deliveries();
  return deliveries.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));
}

describe('an inbound message', () => {
  test('emits message.received as §6 shows it', async () => {
    const workspace = openWorkspace();
    await workspace.subscribe('https://example.com');
    const { server } = workspace;
    const result = await server.simulate.inboundMessage({ phone, body: 'Grüße "👋"\n', type: 'button' });
    expect(await server.journal.deliveries()).toMatchObject([{ id: expect.stringMatching(/^delivery_/) }]);
    const now = new Date(server.clock.now()).toISOString();
    expect(result).toEqual({
      contactId: expect.stringMatching(/^contact_/),
      conversationId: expect.stringMatching(/^conversation_/),
      messageId: expect.stringMatching(/^message_/),
    });
    expect(await events(workspace)).toEqual([
      {
        event: 'message.received',
        workspaceId: server.id,
        timestamp: now,
        data: { ...result, phone, type: 'button', body: 'Grüße "👋"\n', receivedAt: now },
      },
    ]);
  });

  test('stands in the journal, with the consent that it changed', async () => {
    const { server } = openWorkspace();
    const hello = await server.simulate.inboundMessage({ phone, body: 'Hello' });
    const stop = await server.simulate.inboundMessage({ phone, body: 'Stop' });
    const common = { type: 'message', at: server.clock.now(), contactId: hello.contactId, phone };
    expect(await server.journal.find('message')).toEqual([
      { ...common, messageId: hello.messageId, body: 'Hello' },
      { ...common, messageId: stop.messageId, body: 'Stop', consent: 'opted_out' },
    ]);
  });

  test('names its conversation after its contact, whatever the ids are like', async () => {
    const ids = ['contact_1', 'my_contact_2', '3'].values();
    const server = startServer({ newId: (kind) => (kind === 'contact' ? (ids.next().value ?? '') : kind) });
    const conversations: string[] = [];
    for (const sender of [phone, otherPhone, '+12025550123']) {
      const { conversationId } = await server.simulate.inboundMessage({ phone: sender, body: 'Hello' });
      conversations.push(conversationId);
    }
    expect(conversations).toEqual(['conversation_1', 'conversation_my_contact_2', 'conversation_3']);
  });

  test('that is not right is refused by name, and emits nothing', async () => {
    const workspace = openWorkspace();
    await workspace.subscribe('https://example.com');
    const simulate = (message: object) =>
      Reflect.apply(workspace.server.simulate.inboundMessage, undefined, [message]);
    await expect(simulate({ phone: '15551234567', body: 'x' })).rejects.toThrow(/phone must be .*E\.164/);
    await expect(simulate({ phone: '442071838750', body: 'x' })).rejects.not.toThrow('442071838750');
    await expect(simulate({ phone })).rejects.toThrow(/body is required/);
    await expect(simulate({ phone, body: 1, type: '' })).rejects.toThrow(/body .*\n.*type /);
    await expect(simulate({ phone, body: 'x', from: 'y' })).rejects.toThrow(ConfigurationError);
    expect(await workspace.outcomes()).toEqual([]);
  });
});

describe('a keyword', () => {
  test.each(['STOP', 'stop', 'Stop', ' stop ', 'STOP\n', '\tsToP'])(
    'opts out, however it is written: %j',
    async (body) => {
      const workspace = openWorkspace();
      await workspace.subscribe('https://example.com', ['contact.opted_in', 'contact.opted_out']);
      const result = await workspace.server.simulate.inboundMessage({ phone, body });
      const occurredAt = new Date(workspace.server.clock.now()).toISOString();
      expect(result.consent).toBe('opted_out');
      expect(await workspace.server.journal.consent(phone)).toBe('opted_out');
      expect(await events(workspace)).toEqual([
        {
          event: 'contact.opted_out',
          workspaceId: workspace.server.id,
          timestamp: occurredAt,
          data: { contactId: result.contactId, phone, keyword: 'STOP', occurredAt },
        },
      ]);
    },
  );

  test.each([
    '',
    'STOP it',
    'please stop',
    'STOPP',
    'S T O P',
    'UNSTOP',
    'constructor',
    '__proto__',
    'toString',
  ])('it is not: %j', async (body) => {
    const server = startServer();
    expect(await server.simulate.inboundMessage({ phone, body })).not.toHaveProperty('consent');
    expect(await server.journal.consent(phone)).toBe('unknown');
  });

  test('that changes nothing emits message.received alone', async () => {
    const workspace = openWorkspace();
    await workspace.subscribe('https://example.com');
    for (const body of ['STOP', 'STOP', 'start', 'START', 'stop']) await workspace.receive(body);
    expect((await events(workspace)).map((event) => field(event, 'event'))).toEqual([
      'message.received',
      'contact.opted_out',
      'message.received',
      'message.received',
      'contact.opted_in',
      'message.received',
      'message.received',
      'contact.opted_out',
    ]);
    expect(await workspace.server.journal.consent(phone)).toBe('opted_out');
  });
});
