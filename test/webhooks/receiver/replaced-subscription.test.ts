import { createReferenceServer } from 'messaging-automation/server';
import {
  createMemoryDedupeStore,
  createWebhookReceiver,
  toFetchHandler,
  type WebhookEvent,
} from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';

const events = ['message.received', 'contact.opted_out'] as const;
const url = 'https://app.example.com/hooks';

const identityOf = ({ event, timestamp, data }: WebhookEvent) =>
  JSON.stringify(event === 'message.received' ? [event, data.messageId] : [event, timestamp, data]);

/** Replaces a subscription by the steps of the guide, with an event after each. Returns how often each was handled, by its text. */
async function replaceSubscription(dedupeKey: typeof identityOf | undefined) {
  let receive = async (_request: Request) => new Response(null, { status: 503 });
  await using server = createReferenceServer({
    clock: 'frozen',
    fetch: (input, init) => receive(new Request(input, init)),
  });
  const { id: workspaceId, client, clock, faults, simulate } = server;
  const dedupe = createMemoryDedupeStore({ clock });
  const handled: string[] = [];
  const deploy = (secret: readonly string[]) => {
    const receiver = createWebhookReceiver({ secret, workspaceId, dedupe, dedupeKey, clock, onRefused() {} });
    receiver.onAny((event) => void handled.push(identityOf(event)));
    receive = toFetchHandler(receiver);
  };
  const write = async (body: string) => {
    await simulate.inboundMessage({ phone: '+15551234567', body });
    await simulate.inboundMessage({ phone: '+15551234567', body: 'START' });
    await simulate.inboundMessage({ phone: '+15551234567', body: 'STOP' });
    await server.settled();
    await clock.advance('1s');
  };

  const old = await client.webhooks.create({ url, events });
  deploy([old.secret]); // step 1
  await write('with the old one');
  const { secret } = await client.webhooks.create({ url, events }); // step 2
  await write('with a secret that the receiver does not have yet');
  deploy([secret, old.secret]); // step 3
  await clock.advance('10s'); // the first retry of what was refused
  await write('with both');
  await faults.add({ delivery: 'message.received', nth: 1, fault: { kind: 'reset', when: 'after_receipt' } });
  await write('with both, and the responses are lost');
  await clock.advance('10m'); // step 4: the old one waits for no retry
  await client.webhooks.delete(old.id);
  await write('without the old one');
  deploy([secret]); // step 5
  await write('with the new one');
  const statuses = (await server.journal.deliveries()).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['delivered']));
  return handled;
}

test.each([
  ['once', identityOf, 24],
  ['twice without a key of its own while both subscriptions exist', undefined, 36],
])('by the steps of the guide, every event is handled %s', async (_, dedupeKey, handlings) => {
  const handled = await replaceSubscription(dedupeKey);
  expect(new Set(handled).size).toBe(24);
  expect(handled).toHaveLength(handlings);
});
