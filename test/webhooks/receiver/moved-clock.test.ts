import {
  createReferenceServer,
  type ReferenceWorkspace,
  type ServerClock,
} from 'messaging-automation/server';
import {
  type Clock,
  createWebhookReceiver,
  signWebhook,
  toFetchHandler,
  unwrapWebhook,
} from 'messaging-automation/webhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { messageDelivery } from '../delivery-body.js';

const phone = '+15551234567';

/** Has a workspace deliver a message to a receiver that lives by a clock, a day after the machine's time, and gives the attempts. */
async function attemptsADayOn(
  clock: 'flowing' | 'frozen',
  clockOf: (workspace: ReferenceWorkspace) => Clock | undefined,
) {
  let receive = async (_request: Request) => new Response(null, { status: 500 });
  await using server = createReferenceServer({
    clock,
    fetch: (input, init) => receive(new Request(input, init)),
  });
  const { secret } = await server.client.webhooks.create({
    url: 'https://app.example.com/hooks',
    events: ['message.received'],
  });
  const texts: string[] = [];
  const receiver = createWebhookReceiver({ secret, clock: clockOf(server), onRefused: () => {} });
  receiver.on('message.received', async ({ data }) => void texts.push(data.body));
  receive = toFetchHandler(receiver);
  await server.clock.advance('1d');
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  await server.clock.advance('1d');
  const [delivery] = await server.deliveries.find({ contact: phone });
  return { statuses: delivery?.attempts.map(({ status }) => status), texts };
}

describe.each(['flowing', 'frozen'] as const)(
  'a receiver by the clock of a workspace that is %s',
  (clock) => {
    test('takes the deliveries of a moved time', async () => {
      const { statuses, texts } = await attemptsADayOn(clock, (workspace) => workspace.clock);
      expect(statuses).toEqual([204]);
      expect(texts).toEqual(['Hello']);
    });

    test('refuses them by the clock of the machine', async () => {
      const { statuses, texts } = await attemptsADayOn(clock, () => undefined);
      expect(statuses).toEqual([400, 400, 400]);
      expect(texts).toEqual([]);
    });
  },
);

test('unwrapWebhook lives by the clock of a workspace', async () => {
  await using server = createReferenceServer({ clock: 'frozen', now: '2031-02-03T04:05:06Z' });
  expectTypeOf<ServerClock>().toExtend<Clock>();
  const body = JSON.stringify({ ...messageDelivery, timestamp: '2031-02-03T04:05:06.000Z' });
  const secret = 'whsec_example';
  const event = unwrapWebhook(body, signWebhook(body, secret), secret, { clock: server.clock });
  expect(event.event).toBe('message.received');
});
