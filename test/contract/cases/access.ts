import { type MessagingAutomation, MessagingAutomationError, NotFoundError } from 'messaging-automation';
import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { operationCases } from '../../operations/cases.js';
import { contractCase, type Fixtures, phone } from '../contract-case.js';

/** §5 Authentication. */
export const accessCases = [
  contractCase(statements.keyRequired, async ({ request }) => {
    for (const [name, { endpoint }] of operationCases) {
      const [method = '', path = ''] = endpoint.split(' ');
      const bare = await request(path.replace(':id', '1'), { method });
      expect([401, 403], name).toContain(bare.status);
    }
  }),

  contractCase(statements.keyValid, async ({ messagingWith, environment }) => {
    const stranger = messagingWith(`not_${environment.apiKey}`);
    const refusal = stranger.contacts.upsert({ phone });
    await expect(refusal).rejects.toThrow(MessagingAutomationError);
    await expect(refusal).rejects.toMatchObject({ status: expect.toSatisfy((s) => s === 401 || s === 403) });
  }),

  contractCase(statements.contactsOwned, async (fixtures) => {
    const { messaging } = fixtures;
    const stranger = strangerTo(fixtures);
    const { id } = await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    expect(await stranger.contacts.find(phone)).toBeNull();
    await expect(stranger.contacts.get(id)).rejects.toThrow(NotFoundError);
    const theirs = await stranger.contacts.upsert({ phone });
    expect(theirs.properties).toEqual({ phone });
    await stranger.contacts.delete(theirs.id);
    expect(await messaging.contacts.find(phone)).toMatchObject({ id });
  }),

  contractCase(statements.eventsOwned, async (fixtures) => {
    const { messaging } = fixtures;
    const { id: contactId } = await messaging.contacts.upsert({ phone });
    const event = 'order_placed';
    await expect(strangerTo(fixtures).events.track({ event, contactId })).rejects.toThrow(NotFoundError);
    expect(await messaging.events.track({ event, contactId })).toMatchObject({ accepted: true });
  }),

  contractCase(statements.subscriptionsOwned, async (fixtures) => {
    const { messaging, environment } = fixtures;
    const stranger = strangerTo(fixtures);
    const events = ['message.received'] as const;
    const [ours, theirs] = [`${environment.receiver.url}/ours`, `${environment.receiver.url}/theirs`];
    await messaging.webhooks.create({ url: ours, events });
    await stranger.webhooks.create({ url: theirs, events });
    expect((await messaging.webhooks.list()).map(({ url }) => url)).toEqual([ours]);
    expect((await stranger.webhooks.list()).map(({ url }) => url)).toEqual([theirs]);
    await messaging.contacts.upsert({ phone });
    await fixtures.say('Hello');
    expect(environment.receiver.deliveries.map(({ path }) => path)).toEqual(['/hooks/ours']);
  }),
];

function strangerTo({ messagingWith, environment }: Fixtures): MessagingAutomation {
  return messagingWith(environment.otherApiKey);
}
