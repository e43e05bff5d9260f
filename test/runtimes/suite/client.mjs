// `.` against the reference server: each operation, its result and its documented errors.
import { equal, ok, rejects, throws } from './assertions.mjs';
import { freshClient, otherPhone, phone } from './far-side.mjs';

export const client = {
  async 'upserts a contact: created, then updated'(world) {
    const messaging = await freshClient(world);
    const created = await messaging.contacts
      .upsert({ phone, properties: { firstName: 'Ada', tags: ['a', 'b'], age: 36, vip: true } })
      .withResponse();
    equal(created.response.status, 201);
    equal(created.data.properties, { phone, firstName: 'Ada', tags: ['a', 'b'], age: 36, vip: true });
    equal(created.attempts, 1);
    const updated = await messaging.contacts
      .upsert({ phone, properties: { city: 'Zürich 👋' } })
      .withResponse();
    equal(updated.response.status, 200);
    equal(updated.data.id, created.data.id);
    equal(updated.data.properties.city, 'Zürich 👋');
    ok(updated.response.headers.get('content-type')?.includes('json'), 'the headers of the response');
  },

  async 'finds a contact by phone, or gives null'(world) {
    const messaging = await freshClient(world, { contacts: [{ phone }] });
    equal((await messaging.contacts.find(phone))?.properties, { phone });
    equal(await messaging.contacts.find(otherPhone), null);
  },

  async 'gets, updates and deletes a contact'(world) {
    const { contacts } = await freshClient(world);
    const { id } = await contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    await contacts.update(id, { properties: { city: 'London' } });
    equal(await contacts.get(id), { id, properties: { phone, firstName: 'Ada', city: 'London' } });
    equal(await contacts.delete(id), undefined);
    await rejects(contacts.get(id), world.sdk.NotFoundError, {
      operation: 'contacts.get',
      status: 404,
      code: 'not_found',
      outcome: 'rejected',
      retryable: false,
      attempts: 1,
    });
  },

  async 'sends a template, and is refused with 404, 422 and 402'(world) {
    const { sdk } = world;
    const messaging = await freshClient(world, { quota: 1, contacts: [{ phone }] });
    const { transactional } = messaging;
    const input = { phone, templateId: 'order_update', variables: { 1: 'Ada', 2: 'A-1001' } };
    await rejects(transactional.send({ ...input, phone: otherPhone }), sdk.NotFoundError, {
      code: 'not_found',
    });
    await rejects(transactional.send({ ...input, variables: {} }), sdk.SendFailedError, { status: 422 });
    equal(await transactional.send(input), { success: true });
    await rejects(transactional.send(input), sdk.QuotaExceededError, { status: 402, code: 'quota_exceeded' });
  },

  async 'tracks an event by phone and by id'(world) {
    const { contacts, events } = await freshClient(world);
    const { id } = await contacts.upsert({ phone });
    equal(await events.track({ event: 'order_placed', phone, properties: { total: 12.5 } }), {
      accepted: true,
    });
    equal(await events.track({ event: 'order_placed', contactId: id }), { accepted: true });
    await rejects(events.track({ event: 'order_placed', phone: otherPhone }), world.sdk.NotFoundError);
  },

  async 'creates, lists and deletes a webhook subscription'(world) {
    const { webhooks } = await freshClient(world);
    const url = 'https://receiver.example/hooks';
    const created = await webhooks.create({ url, events: ['message.received'] });
    ok(created.secret.startsWith('whsec_'), 'a signing secret');
    const [listed, ...others] = await webhooks.list();
    equal([listed.id, listed.url, others], [created.id, url, []]);
    await webhooks.delete(created.id);
    equal(await webhooks.list(), []);
  },

  async 'lists templates'(world) {
    const { templates } = await freshClient(world);
    equal(
      (await templates.list()).map(({ id }) => id),
      ['order_update'],
    );
  },

  async 'refuses bad input before anything is sent'(world) {
    const { sdk } = world;
    const messaging = await freshClient(world);
    const facts = { outcome: 'not_sent', attempts: 0 };
    await rejects(messaging.contacts.upsert({ phone: '555 1234' }), sdk.InvalidInputError, facts);
    await rejects(messaging.contacts.get('..'), sdk.InvalidInputError, facts);
    throws(() => new sdk.MessagingAutomation({ apiKey: 'key', baseUrl: 'nowhere' }), sdk.ConfigurationError);
  },

  async 'is told of a wrong key'({ sdk, farSide, clientOptions }) {
    const { baseUrl } = farSide;
    const messaging = new sdk.MessagingAutomation({ apiKey: 'wrong', baseUrl, ...clientOptions });
    await rejects(messaging.templates.list(), sdk.AuthenticationError, { status: 401, outcome: 'rejected' });
  },

  async 'calls a fetch of its own'({ sdk }) {
    const calls = [];
    const messaging = new sdk.MessagingAutomation({
      apiKey: 'key',
      baseUrl: 'https://messaging.example/api',
      fetch: async (url, init) => {
        calls.push([init.method, url]);
        return Response.json([]);
      },
    });
    equal(await messaging.webhooks.list(), []);
    equal(await messaging.contacts.find(phone).catch((error) => error.name), 'UnusableResponseError');
    equal(calls, [
      ['GET', 'https://messaging.example/api/v1/webhooks'],
      ['GET', 'https://messaging.example/api/v1/contacts/find?phone=%2B442071838750'],
    ]);
  },

  'verifies a webhook'({ sdk, webhooks }) {
    const secret = 'whsec_example';
    equal(sdk.verifyWebhook('{}', webhooks.signWebhook('{}', secret), secret), true);
    equal(sdk.verifyWebhook('{ }', webhooks.signWebhook('{}', secret), secret), false);
  },
};
