// `./server`: responds without a socket everywhere, and on one where the runtime can listen.
import { equal, ok, rejects } from './assertions.mjs';
import { phone, templates } from './far-side.mjs';

/** A client that reaches a reference server of this runtime through no socket. */
function clientOf(sdk, server) {
  return new sdk.MessagingAutomation({
    apiKey: server.apiKey,
    baseUrl: 'https://messaging.example/api',
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
}

/** Gives servers that are closed when the check is over. (Node.js 20 has no `await using`.) */
function closing(check) {
  return async (world) => {
    const servers = [];
    const start = (options) => {
      servers.push(world.server.createReferenceServer(options));
      return servers.at(-1);
    };
    try {
      await check(world, start);
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  };
}

export const server = {
  'responds without a socket': closing(async ({ sdk }, start) => {
    const reference = start({ templates, quota: 1 });
    const messaging = clientOf(sdk, reference);
    const contact = await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    equal(await messaging.contacts.find(phone), contact);
    const input = { phone, templateId: 'order_update', variables: { 1: 'Ada', 2: 'A-1001' } };
    equal(await messaging.transactional.send(input), { success: true });
    await rejects(messaging.transactional.send(input), sdk.QuotaExceededError);
    equal(
      (await reference.journal.sends()).map(({ text }) => text),
      ['Hello Ada, your order A-1001 is on its way.'],
    );
  }),

  'refuses what it cannot read': closing(async (_, start) => {
    const reference = start();
    const post = (body, type) =>
      reference.fetch(
        new Request('https://messaging.example/api/v1/contacts', {
          method: 'POST',
          headers: { authorization: `Bearer ${reference.apiKey}`, 'content-type': type },
          body,
        }),
      );
    equal((await post('{', 'application/json')).status, 400);
    equal((await post('{}', 'text/plain')).status, 415);
    equal((await post(`"${'x'.repeat(1024 * 1024)}"`, 'application/json')).status, 413);
    equal((await reference.fetch(new Request('https://messaging.example/api/v1/templates'))).status, 401);
    equal((await reference.fetch(new Request('https://messaging.example/other'))).status, 404);
  }),

  'delivers what an inbound message emits, signed, and retries': closing(async ({ sdk, webhooks }, start) => {
    const received = [];
    const reference = start({
      clock: 'frozen',
      async fetch(input, init) {
        const request = new Request(input, init);
        const body = new Uint8Array(await request.arrayBuffer());
        received.push({ body, signature: request.headers.get('x-service-signature') });
        return new Response(null, { status: received.length === 1 ? 500 : 204 });
      },
    });
    const url = 'https://receiver.example/hooks';
    const { secret } = await clientOf(sdk, reference).webhooks.create({ url, events: ['message.received'] });
    await reference.simulate.inboundMessage({ phone, body: 'Grüße 👋' });
    await reference.settled();
    equal(received.length, 1);
    await reference.clock.advance('10s');
    equal(received.length, 2, 'deliveries after the retry');
    const [first, second] = received;
    equal([...second.body], [...first.body], 'the bytes of the retry');
    const clock = { now: () => reference.clock.now() };
    const event = webhooks.unwrapWebhook(second.body, second.signature, secret, { clock });
    equal(event.data.body, 'Grüße 👋');
  }),
};

export const listening = {
  'listens on a socket': closing(async ({ sdk }, start) => {
    const reference = start({ templates });
    const { baseUrl } = await reference.listen({ port: 0 });
    const messaging = new sdk.MessagingAutomation({ apiKey: reference.apiKey, baseUrl });
    const { id } = await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    equal((await messaging.contacts.find(phone))?.id, id);
    await messaging.contacts.delete(id);
    await rejects(messaging.contacts.get(id), sdk.NotFoundError);
  }),

  'delivers to a socket, and stops for good': closing(async ({ sdk, webhooks }, start) => {
    const [receiver, reference] = [start(), start()];
    const { url } = await receiver.listen();
    const { baseUrl } = await reference.listen();
    const messaging = new sdk.MessagingAutomation({ apiKey: reference.apiKey, baseUrl });
    const { secret } = await messaging.webhooks.create({ url: `${url}/hooks`, events: ['message.received'] });
    await reference.simulate.inboundMessage({ phone, body: 'Hello' });
    await reference.settled();
    const [{ attempts, body }] = await reference.journal.deliveries();
    // The receiver is a reference server too, which knows no such path: its response shows that the delivery came.
    equal(
      attempts.map(({ status }) => status),
      [404],
    );
    ok(webhooks.verifyWebhook(body, attempts[0].signature, secret), 'a signature over the bytes sent');
    await reference.close();
    const { outcome } = await rejects(messaging.templates.list({ retries: 0 }), sdk.ConnectionError);
    ok(outcome !== 'rejected', 'nobody to reject the request');
  }),
};
