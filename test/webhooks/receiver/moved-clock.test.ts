import { createReferenceServer } from 'messaging-automation/server';
import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';

const phone = '+15551234567';

describe.each(['flowing', 'frozen'] as const)('a workspace whose clock is %s and two days ahead', (clock) => {
  test.each([
    ['takes', 'of the workspace', [204], ['Hello']],
    ['refuses', 'of the machine', [400, 400, 400], []],
  ])('has a receiver that %s its delivery by the clock %s', async (_, whose, statuses, bodies) => {
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
    const receiver = createWebhookReceiver({
      secret,
      clock: whose === 'of the workspace' ? server.clock : undefined,
      onRefused: () => {},
    });
    receiver.on('message.received', async ({ data }) => void texts.push(data.body));
    receive = toFetchHandler(receiver);
    await server.clock.advance('2d');
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await server.clock.advance('1d');
    const [delivery] = await server.deliveries.find({ contact: phone });

    expect(delivery?.attempts.map(({ status }) => status)).toEqual(statuses);
    expect(texts).toEqual(bodies);
  });
});
