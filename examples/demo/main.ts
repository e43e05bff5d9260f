// The main task from start to finish: `npm run demo`. A reference server and a real Express receiver run on free ports
// of this machine, and every call goes through the SDK. The exit code is 0 only if every step succeeds.
import assert from 'node:assert/strict';
import {
  MessagingAutomation,
  NotFoundError,
  QuotaExceededError,
  SendFailedError,
} from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { startReceiver } from './receiver.js';
import { paint, Steps } from './steps.js';

const phone = '+15551234567';
const send = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };

const server = createReferenceServer({
  quota: 2,
  templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
  segments: [{ id: 'customers', event: 'order_placed' }],
});
const ada = server.contact(phone);
const receiver = await startReceiver();
const { baseUrl } = await server.listen({ port: 0 });
const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });

console.log(`\n${paint('bold', 'Messaging Automation, end to end')}`);
console.log(paint('dim', `service at ${baseUrl}, receiver at ${receiver.url}\n`));

const steps = new Steps();
try {
  await steps.step('Upsert a contact', async () => {
    const contact = await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada' } });
    assert.equal(contact.properties.firstName, 'Ada');
    return contact.id;
  });
  await steps.step('List the templates', async () => {
    const templates = await messaging.templates.list();
    assert.deepEqual(
      templates.map(({ id }) => id),
      ['order_update'],
    );
    return templates.map(({ id, body }) => `${id}: ${body}`).join();
  });
  await steps.step('Send one', async () => {
    const { success } = await messaging.transactional.send(send);
    assert.equal(success, true);
    const { text } = await ada.receives('order_update');
    assert.equal(text, 'Hello Ada, your order A-1001 is on its way.');
    return text;
  });
  await steps.step('Track an event, which feeds a segment', async () => {
    const { accepted } = await messaging.events.track({ event: 'order_placed', phone });
    assert.equal(accepted, true);
    await server.settled();
    const members = await server.journal.segmentMembers('customers');
    assert.equal(members.length, 1);
    return `accepted; "customers" has ${members.length} member`;
  });
  await steps.step('Subscribe a webhook', async () => {
    const subscription = await messaging.webhooks.create({
      url: receiver.url,
      events: ['message.received', 'contact.opted_out'],
    });
    receiver.secret = subscription.secret;
    return `${subscription.id} for ${subscription.events.join(', ')}`;
  });
  await steps.step('Receive a message and verify its delivery', async () => {
    await ada.says('Where is my order?');
    await server.settled();
    const [event] = receiver.events;
    assert.equal(event?.event, 'message.received');
    assert.equal(event.data.body, 'Where is my order?');
    return `${event.event}: "${event.data.body}"`;
  });
  await steps.step('See a failed delivery retried', async () => {
    receiver.failures = 1;
    await ada.says('Hello?');
    await server.settled();
    assert.equal(receiver.events.length, 1);
    await server.clock.advance('10s');
    assert.equal(receiver.events.length, 2);
    const delivery = (await server.journal.deliveries()).at(-1);
    assert.deepEqual(
      delivery?.attempts.map(({ status }) => status),
      [503, 204],
    );
    return 'responded with 503, and 204 ten seconds later by the server\u2019s clock';
  });
  await steps.step('See a contact opt out', async () => {
    await ada.says('STOP');
    await server.settled();
    const event = receiver.events.at(-1);
    assert.equal(event?.event, 'contact.opted_out');
    return event.event;
  });
  await steps.step('Be refused with 404: nobody has the phone', async () => {
    return refusal(messaging.transactional.send({ ...send, phone: '+15557654321' }), NotFoundError);
  });
  await steps.step('Be refused with 422: a variable is missing', async () => {
    return refusal(messaging.transactional.send({ ...send, variables: { '1': 'Ada' } }), SendFailedError);
  });
  await steps.step('Be refused with 402: the quota is used up', async () => {
    await messaging.transactional.send(send);
    return refusal(messaging.transactional.send(send), QuotaExceededError);
  });
  await steps.step('Delete the contact and all its data', async () => {
    const contact = await messaging.contacts.find(phone);
    assert.ok(contact);
    await messaging.contacts.delete(contact.id);
    assert.equal(await messaging.contacts.find(phone), null);
    assert.deepEqual(await server.journal.segmentMembers('customers'), []);
    return 'no contact, no events, no segment membership';
  });
  console.log(`\n${paint('green', `All ${steps.done} steps happened.`)}\n`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  receiver.close();
  await server.close();
}

/** Expects a call to fail with this error, and describes the error. */
async function refusal(
  call: Promise<unknown>,
  expected: typeof NotFoundError | typeof SendFailedError | typeof QuotaExceededError,
): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof expected, `expected ${expected.name}, got ${String(error)}`);
  return `${error.name}: ${error.status} ${error.code}`;
}
