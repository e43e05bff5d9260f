import { getEventListeners } from 'node:events';
import { defineWorkspace } from 'messaging-automation';
import {
  ConfigurationError,
  createTypedReferenceServer,
  type ReferenceServerOptions,
} from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { within } from '../../../waiting.js';
import { ManualClock } from '../../support/manual-clock.js';
import { otherPhone, phone, startServer } from '../../support/reference.js';

const templates = [
  { id: 'welcome', body: 'Welcome, {{1}}!' },
  { id: 'bye', body: 'Good-bye, {{1}}' },
  { id: 'tips', body: 'Ten tips.' },
];
const onboarding = {
  id: 'onboarding',
  event: 'signed_up',
  steps: [{ wait: '1d' as const }, { send: 'tips' }],
};

const now = '2026-01-01T00:00:00Z';
/** Options of a wait that gets nothing, and ends at once. */
const soon = { timeout: 1 };

/** The lines of the error of a wait that gets nothing. */
async function messageOf(wait: Promise<unknown>): Promise<readonly string[]> {
  const error = await wait.then(
    () => 'it resolved',
    (reason: unknown) => String(reason),
  );
  return error.split('\n');
}

/** A server with two contacts, and ways to send to them. */
function startWithContacts(options: ReferenceServerOptions = {}) {
  const server = startServer({ templates, now, contacts: [{ phone }, { phone: otherPhone }], ...options });
  const send = (to: string, name: string, templateId = 'welcome') =>
    server.client.transactional.send({ phone: to, templateId, variables: { '1': name } });
  const ada = server.contact(phone);
  return { server, send, ada, grace: server.contact(otherPhone) };
}

describe('receives', () => {
  test('takes each message once, the oldest first, whichever object of the contact asks', async () => {
    const { server, send, ada } = startWithContacts();
    await send(phone, 'Ada');
    await send(phone, 'Augusta');
    expect(await ada.receives('welcome')).toEqual({
      from: 'workspace',
      id: expect.any(String),
      template: 'welcome',
      variables: { '1': 'Ada' },
      text: 'Welcome, Ada!',
      at: server.clock.now(),
    });
    expect(await server.contact(phone).receives('welcome')).toMatchObject({ text: 'Welcome, Augusta!' });
    const took = '  - "welcome" at 2026-01-01T00:00:00.000Z: an earlier receives() took it';
    expect(await messageOf(ada.receives('welcome', soon))).toEqual([
      'WaitTimeoutError: There was no message "welcome" to +***67 within 1 ms.',
      'Messages to this contact:',
      took,
      took,
    ]);
    expect(await server.sends.find()).toHaveLength(2);
  });

  test('gives each of two waits at once a message of its own, in their order', async () => {
    const { send, ada } = startWithContacts();
    const waits = [ada.receives('welcome'), ada.receives('welcome')];
    await send(phone, 'Ada');
    await send(phone, 'Augusta');
    expect(await within('both', Promise.all(waits))).toMatchObject([
      { text: 'Welcome, Ada!' },
      { text: 'Welcome, Augusta!' },
    ]);
  });

  test('leaves the messages of other templates for later calls, whatever their order', async () => {
    const { send, ada } = startWithContacts();
    await send(phone, 'Ada', 'bye');
    await send(phone, 'Ada');
    expect(await ada.receives('welcome')).toMatchObject({ template: 'welcome' });
    expect(await ada.receives('bye')).toMatchObject({ template: 'bye' });
  });

  test('chooses by some variables, and by the text or a pattern', async () => {
    const { send, ada } = startWithContacts();
    for (const name of ['Ada', 'Grace', 'Joan', 'Zoë']) await send(phone, name);
    expect(await ada.receives('welcome', { variables: { '1': 'Grace' } })).toMatchObject({
      variables: { '1': 'Grace' },
    });
    expect(await ada.receives('welcome', { text: /zo/gi })).toMatchObject({ variables: { '1': 'Zoë' } });
    expect(await ada.receives('welcome', { text: 'Welcome, Joan!' })).toMatchObject({
      text: 'Welcome, Joan!',
    });
    expect(
      await messageOf(ada.receives('welcome', { ...soon, text: 'Ada', variables: { '1': 'Eve' } })),
    ).toEqual([
      'WaitTimeoutError: There was no message "welcome" with variable 1 "Eve" and text "Ada" to +***67 within 1 ms.',
      'Messages to this contact:',
      expect.stringContaining('its variable 1 is "Ada", not "Eve"; its text is "Welcome, Ada!", not "Ada"'),
      expect.stringContaining('its variable 1 is "Grace", not "Eve"'),
      expect.stringContaining('its variable 1 is "Joan", not "Eve"'),
      expect.stringContaining('its variable 1 is "Zoë", not "Eve"'),
    ]);
    expect(
      await messageOf(ada.receives('welcome', { ...soon, variables: { '2': undefined, '1': undefined } })),
    ).toEqual(expect.arrayContaining([expect.stringContaining('its variable 1 is "Ada", not absent')]));
  });

  test('finds each message by the same pattern with the flag g', async () => {
    const { send, ada } = startWithContacts();
    const pattern = /ada/gi;
    const waits = [ada.receives('welcome', { text: pattern }), ada.receives('welcome', { text: pattern })];
    for (const name of ['Ada', 'ADA', 'ada', 'aDa']) await send(phone, name);
    const before = [
      await ada.receives('welcome', { text: pattern }),
      await ada.receives('welcome', { text: pattern }),
    ];
    expect([...(await Promise.all(waits)), ...before].map(({ text }) => text)).toEqual([
      'Welcome, Ada!',
      'Welcome, ADA!',
      'Welcome, ada!',
      'Welcome, aDa!',
    ]);
  });

  test('tells two contacts apart that wait at once', async () => {
    const { send, ada, grace } = startWithContacts();
    const waits = [grace.receives('welcome'), ada.receives('welcome')];
    await send(phone, 'Ada');
    await send(otherPhone, 'Grace');
    expect(await within('both', Promise.all(waits))).toMatchObject([
      { text: 'Welcome, Grace!' },
      { text: 'Welcome, Ada!' },
    ]);
  });

  test('keeps the contacts of two workspaces apart', async () => {
    const { server, send, ada } = startWithContacts();
    const other = server.workspace({ templates, contacts: [{ phone }] });
    const there = other.contact(phone).receives('welcome');
    await send(phone, 'Ada');
    await other.client.transactional.send({ phone, templateId: 'welcome', variables: { '1': 'Grace' } });
    expect((await ada.receives('welcome')).text).toBe('Welcome, Ada!');
    expect((await there).text).toBe('Welcome, Grace!');
  });

  test('waits for a contact that is made later', async () => {
    const { server, send } = startWithContacts({ contacts: [] });
    const joan = server.contact(phone);
    const message = joan.receives('welcome');
    expect(await joan.consent()).toBeUndefined();
    await server.client.contacts.upsert({ phone });
    await send(phone, 'Joan');
    expect((await message).text).toBe('Welcome, Joan!');
    expect(await joan.consent()).toBe('unknown');
  });

  test('waits while the test moves the clock', async () => {
    const { server, ada } = startWithContacts({ journeys: [onboarding] });
    await server.client.events.track({ event: 'signed_up', phone });
    const tips = ada.receives('tips');
    await server.clock.advance('1d');
    expect(await tips).toMatchObject({ text: 'Ten tips.', at: server.clock.now() });
  });

  test('takes nothing when its signal aborts, or its two seconds of the machine are over', async () => {
    const machine = new ManualClock();
    const { send, ada } = startWithContacts({ systemClock: machine });
    const controller = new AbortController();
    const aborted = ada.receives('welcome', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const late = messageOf(ada.receives('welcome'));
    machine.pass(1_999);
    expect(machine.waiting).toBe(1);
    machine.pass(1);
    expect(await late).toContain(
      'WaitTimeoutError: There was no message "welcome" to +***67 within 2000 ms.',
    );
    expect([machine.waiting, getEventListeners(controller.signal, 'abort')]).toEqual([0, []]);
    await send(phone, 'Ada');
    expect(await ada.receives('welcome')).toMatchObject({ text: 'Welcome, Ada!' });
  });

  test('ends when the workspace closes, and a closed one has no wait', async () => {
    const { server } = startWithContacts();
    const workspace = server.workspace({ templates });
    const contact = workspace.contact(phone);
    const message = contact.receives('welcome');
    const event = contact.did('signed_up');
    const closed = workspace.close();
    await expect(message).rejects.toThrow(
      'The workspace closed during the wait for a message "welcome" to +***67.',
    );
    await expect(event).rejects.toThrow('during the wait for a tracked event "signed_up" of +***67');
    await closed;
    await expect(contact.receives('welcome')).rejects.toThrow('This workspace is closed');
    await expect(contact.says('Hello')).rejects.toThrow('This workspace is closed');
    await expect(contact.consent()).rejects.toThrow('This workspace is closed');
    expect(await contact.chat()).toEqual([]);
  });

  test('begins anew after a reset', async () => {
    const { server, send, ada } = startWithContacts();
    await send(phone, 'Ada');
    await ada.receives('welcome');
    await server.reset();
    await send(phone, 'Grace');
    expect(await ada.receives('welcome')).toMatchObject({ text: 'Welcome, Grace!' });
    await ada.receivesNothing();
  });

  test('rejects with a stack that leads to the line of the test', async () => {
    // By the machine's own clock: a test that moved it would itself be in the stack.
    const server = startServer();
    const error = await server
      .contact(phone)
      .receives('welcome', { timeout: '1ms' })
      .catch((reason: Error) => reason.stack);
    expect(error).toContain('receives.test.ts');
  });

  test.each([{ within: '1d' }, { nth: 2 }, { variables: 'Ada' }, { text: 5 }, { timeout: 'soon' }])(
    'rejects the options %j',
    async (options) => {
      const { ada } = startWithContacts();
      await expect(Reflect.apply(ada.receives, ada, ['welcome', options])).rejects.toThrow(
        ConfigurationError,
      );
    },
  );
});

describe('the error of receives', () => {
  test('says what the contact received instead, and who else received the template', async () => {
    const { server, send, ada } = startWithContacts();
    await send(phone, 'Ada', 'bye');
    await server.clock.advance('1s');
    await send(otherPhone, 'Grace');
    expect(await messageOf(ada.receives('welcome', soon))).toEqual([
      'WaitTimeoutError: There was no message "welcome" to +***67 within 1 ms.',
      'Messages to this contact:',
      '  - "bye" at 2026-01-01T00:00:00.000Z: "Good-bye, Ada"',
      'Messages "welcome" to other contacts:',
      '  - +***50 at 2026-01-01T00:00:01.000Z',
    ]);
  });

  test('shows the last five of many', async () => {
    const { send, ada } = startWithContacts();
    for (const name of ['1', '2', '3', '4', '5', '6', '7']) await send(phone, name, 'bye');
    const lines = await messageOf(ada.receives('welcome', soon));
    expect(lines.slice(1, 3)).toEqual([
      'Messages to this contact, the last 5 of 7:',
      expect.stringContaining('"Good-bye, 3"'),
    ]);
    expect(lines).toHaveLength(7);
  });

  test('says which sends were rejected, and why', async () => {
    const { server, send, ada } = startWithContacts();
    await server.templates.update('welcome', { status: 'paused' });
    await send(phone, 'Ada').catch(() => {});
    await server.faults.add({
      operation: 'transactional.send',
      times: 1,
      fault: { kind: 'status', status: 503 },
    });
    await send(phone, 'Ada').catch(() => {});
    await server.faults.add({
      operation: 'transactional.send',
      times: 1,
      fault: { kind: 'reset', when: 'before_commit' },
    });
    await send(phone, 'Ada', 'bye').catch(() => {});
    await send('+15559999999', 'Ada').catch(() => {});
    await send(otherPhone, 'Grace', 'bye');
    await server.client.transactional
      .send({ phone: otherPhone, templateId: 'tips', variables: { '2': 'x' } })
      .catch(() => {});
    expect(await messageOf(ada.receives('welcome', soon))).toEqual([
      'WaitTimeoutError: There was no message "welcome" to +***67 within 1 ms.',
      'Failed requests:',
      '  - "welcome" at 2026-01-01T00:00:00.000Z: 422 The template "welcome" is paused, not approved.',
      expect.stringMatching(/^ {2}- "welcome" at .+: 503 \(injected fault: status\) ./),
      '  - "bye" at 2026-01-01T00:00:00.000Z: no response (injected fault: reset)',
      '  - "welcome" to +***99 at 2026-01-01T00:00:00.000Z: 404 No contact has the phone +***99. Create it first with POST /v1/contacts.',
    ]);
  });

  test("says which deliveries of the contact's messages failed, and why", async () => {
    const { server, ada, grace } = startWithContacts({
      clock: 'frozen',
      fetch: async () => new Response(null, { status: 400 }),
    });
    await server.client.webhooks.create({ url: 'https://a.test/hooks', events: ['message.received'] });
    await server.clock.advance('30d');
    await ada.says('Hello');
    await grace.says('Hello');
    await server.settled();
    expect(await messageOf(ada.receives('welcome', soon))).toEqual([
      'WaitTimeoutError: There was no message "welcome" to +***67 within 1 ms.',
      'Failed deliveries of this contact:',
      expect.stringMatching(
        /^ {2}- message\.received at 2026-01-31T00:00:00\.000Z: the receiver responded with 400; its timestamp is \d+ d .+: create the receiver with clock: workspace\.clock/,
      ),
      expect.stringMatching(/^Work of this workspace continues at .+/),
    ]);
  });

  test('says that no contact has the phone, and what no template has as its id', async () => {
    const { server } = startWithContacts();
    expect(await messageOf(server.contact('+15550000001').receives('welcom', soon))).toEqual([
      'WaitTimeoutError: There was no message "welcom" to +***01 within 1 ms.',
      'No contact of this workspace has this phone.',
      'No template of this workspace has the id "welcom" (do you mean welcome?).',
    ]);
  });

  test('says which journey of the contact waits for the clock, and which failed', async () => {
    const { server, ada, grace } = startWithContacts({ journeys: [onboarding] });
    await server.client.events.track({ event: 'signed_up', phone });
    await server.settled();
    const first = 'WaitTimeoutError: There was no message "tips" to +***67 within 1 ms.';
    expect(await messageOf(ada.receives('tips', soon))).toEqual([
      first,
      'The journey "onboarding" of this contact continues at 2026-01-02T00:00:00.000Z, and the clock is frozen at ' +
        "2026-01-01T00:00:00.000Z. Call clock.advance('1d') before you wait, or during the wait.",
    ]);
    expect(await messageOf(grace.receives('tips', soon))).toEqual([
      first.replace('67', '50'),
      'Work of this workspace continues at 2026-01-02T00:00:00.000Z, and the clock is frozen at ' +
        "2026-01-01T00:00:00.000Z. Call clock.advance('1d') before you wait, or during the wait.",
    ]);
    await server.templates.update('tips', { status: 'paused' });
    await server.clock.advance('1d');
    expect(await messageOf(ada.receives('tips', soon))).toEqual([
      first,
      'Failed journeys of this contact:',
      '  - "onboarding" at 2026-01-02T00:00:00.000Z: The template "tips" is paused, not approved.',
    ]);
    expect(await messageOf(grace.receives('tips', soon))).toEqual([first.replace('67', '50')]);
  });

  test('shows no whole phone number of a text', async () => {
    const { send, ada } = startWithContacts();
    await send(phone, `call ${otherPhone}`, 'bye');
    const lines = await messageOf(ada.receives('welcome', { ...soon, variables: { '1': phone } }));
    expect(lines.join('\n')).toContain('call +***50');
    expect(lines.join('\n')).not.toMatch(/\d{7}/);
  });
});

describe('a contact of a typed workspace', () => {
  const workspace = defineWorkspace({
    templates: { orderUpdate: { id: 'order_2', variables: ['firstName', 'order'] }, tips: { id: 'tips' } },
    events: { order_placed: z.object({ orderId: z.string(), total: z.number() }) },
  });

  function startTyped() {
    const server = createTypedReferenceServer(workspace, {
      clock: 'frozen',
      templates: [{ id: 'order_2', body: 'Hello {{1}}, order {{2}} is on its way.' }, ...templates],
      contacts: [{ phone }],
    });
    onTestFinished(() => server.close());
    return { server, ada: server.contact(phone) };
  }

  test('has the names of the definitions', async () => {
    const { server, ada } = startTyped();
    const variables = { firstName: 'Ada', order: 'A-1' };
    await server.client.transactional.send({ phone, template: 'orderUpdate', variables });
    await server.client.transactional.send({
      phone,
      templateId: 'order_2',
      variables: { '1': 'Ada', '2': 'A-2' },
    });
    const second = await ada.receives('orderUpdate', { variables: { order: 'A-2' } });
    expect(second).toMatchObject({ template: 'orderUpdate', variables: { firstName: 'Ada', order: 'A-2' } });
    await server.client.transactional.send({ phone, templateId: 'welcome', variables: { '1': 'Ada' } });
    expect(await ada.chat()).toMatchObject([
      { template: 'orderUpdate', variables },
      { template: 'orderUpdate', variables: { firstName: 'Ada', order: 'A-2' } },
      { template: 'welcome', variables: { '1': 'Ada' } },
    ]);
    const error = ada.receives('orderUpdate', { timeout: 1, variables: { order: 'A-3' } });
    await expect(error).rejects.toThrow('no message "orderUpdate" ("order_2") with variable order "A-3"');
    await expect(error).rejects.toThrow('its variable order is "A-1", not "A-3"');
    await server.client.events.track({
      event: 'order_placed',
      phone,
      properties: { orderId: 'A-1', total: 2 },
    });
    expect((await ada.did('order_placed', { properties: { orderId: 'A-1' } })).properties.total).toBe(2);
  });

  test.each(['order_2', 'orderUpdat', 'constructor'])('has no template %s', async (name) => {
    const { ada } = startTyped();
    const words = `receives: the definitions of the workspace have no template "${name}"`;
    await expect(Reflect.apply(ada.receives, ada, [name])).rejects.toThrow(words);
    await expect(Reflect.apply(ada.did, ada, [name])).rejects.toThrow(
      'did: the definitions of the workspace have no',
    );
  });
});
