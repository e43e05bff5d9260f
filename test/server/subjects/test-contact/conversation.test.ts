import { ConfigurationError, type ReferenceServerOptions } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { within, withResolvers } from '../../../waiting.js';
import { ManualClock } from '../../support/manual-clock.js';
import { otherPhone, phone, startServer } from '../../support/reference.js';

const templates = [
  { id: 'tips', body: 'Ten tips.' },
  { id: 'offer', body: 'An offer: call +442071838751.' },
];
const journeys = [
  { id: 'onboarding', event: 'signed_up', steps: [{ wait: '1d' as const }, { send: 'tips' }] },
];

function startWithJourney(options: ReferenceServerOptions = {}) {
  const server = startServer({
    templates,
    journeys,
    now: '2026-01-01T00:00:00Z',
    contacts: [{ phone }, { phone: otherPhone }],
    ...options,
  });
  return {
    server,
    ada: server.contact(phone),
    grace: server.contact(otherPhone),
    signUp: (who: string) => server.client.events.track({ event: 'signed_up', phone: who }),
    send: (to: string, templateId: string) => server.client.transactional.send({ phone: to, templateId }),
  };
}

describe('contact', () => {
  test.each<[form: string, wrong: unknown]>([
    ['spaces', '+44 20 7183 8750'],
    ['no plus', '442071838750'],
    ['zeros for the plus', '00442071838750'],
    ['dashes', '+44-2071838750'],
    ['a scheme', 'tel:+442071838750'],
    ['other digits', '+٤٤٢٠٧١٨٣٨٧٥٠'],
    ['a space before it', ' +442071838750'],
    ['a line feed after it', '+442071838750\n'],
    ['an id', 'contact_1'],
    ['an empty text', ''],
    ['a number', 442_071_838_750],
    ['undefined', undefined],
    ['an object', { phone }],
  ])('takes no phone in another form: %s', (_, wrong) => {
    const { server } = startWithJourney();
    const make = () => Reflect.apply(server.contact, server, [wrong]);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow('The phone of a contact is invalid:\n  the value ');
    expect(make).not.toThrow(/718/);
  });

  test('is there before the workspace has it, and makes none', async () => {
    const { server } = startWithJourney({ contacts: [] });
    const ada = server.contact(phone);
    expect(ada.phone).toBe(phone);
    expect([await ada.consent(), await ada.chat()]).toEqual([undefined, []]);
    await ada.receivesNothing({ within: '1d' });
    expect((await server.contacts.list()).data).toEqual([]);
    await ada.says('Hello');
    expect((await server.contacts.list()).data).toMatchObject([{ phone, consent: 'unknown' }]);
  });
});

describe('says', () => {
  test.each([
    ['STOP', 'opted_out'],
    [' stop\n', 'opted_out'],
    ['START', 'opted_in'],
    ['Please STOP', 'unknown'],
    ['', 'unknown'],
  ])('%j leaves the consent %s, as the service has it', async (text, consent) => {
    const { server, ada, grace } = startWithJourney();
    const { contactId, ...result } = await ada.says(text);
    expect(result.consent ?? 'unknown').toBe(consent);
    expect([await ada.consent(), await grace.consent()]).toEqual([consent, 'unknown']);
    expect((await server.contacts.read(phone))?.id).toBe(contactId);
  });

  test('reaches the webhooks of the workspace, and waits for none', async () => {
    const gate = withResolvers<Response>();
    const { server, ada } = startWithJourney({ fetch: () => gate.promise });
    await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });
    await within('the message', ada.says('Hello'));
    gate.resolve(new Response(null, { status: 204 }));
    const { bodyText } = await server.deliveries.waitFor({ contact: phone });
    expect(JSON.parse(bodyText)).toMatchObject({ event: 'message.received', data: { phone, body: 'Hello' } });
  });

  test.each([undefined, 5, null])('takes no text that is %s', async (text) => {
    const { ada } = startWithJourney();
    await expect(Reflect.apply(ada.says, ada, [text])).rejects.toThrow(ConfigurationError);
    expect(await ada.chat()).toEqual([]);
  });
});

describe('receivesNothing', () => {
  test('moves a frozen clock, and fails with what came instead', async () => {
    const { server, ada, grace, signUp } = startWithJourney();
    const start = server.clock.now();
    await signUp(phone);
    await ada.receivesNothing();
    expect(server.clock.now()).toBe(start);
    await ada.receivesNothing({ within: '23h' });
    expect(server.clock.now()).toBe(start + 23 * 3_600_000);
    await grace.receivesNothing({ within: '1h' });
    await expect(ada.receivesNothing()).rejects.toThrow(
      new Error(
        '+***67 received messages that receives() has not taken:\n' +
          '  - "tips" at 2026-01-02T00:00:00.000Z: "Ten tips."\n' +
          'If a message is expected, take it with receives() first.',
      ),
    );
    await ada.receives('tips');
    await ada.receivesNothing({ within: '30d' });
  });

  test('fails with a message from before the call', async () => {
    const { ada, grace, send } = startWithJourney();
    await send(phone, 'offer');
    await expect(ada.receivesNothing()).rejects.toThrow(
      '"offer" at 2026-01-01T00:00:00.000Z: "An offer: call +***51."',
    );
    await grace.receivesNothing();
  });

  test('moves a flowing clock too', async () => {
    const { server, ada, signUp } = startWithJourney({ clock: 'flowing', systemClock: new ManualClock() });
    const start = server.clock.now();
    await signUp(phone);
    await ada.receivesNothing({ within: '23h' });
    expect(server.clock.now()).toBe(start + 23 * 3_600_000);
    await expect(ada.receivesNothing({ within: '1h' })).rejects.toThrow('"tips" at');
    expect(server.clock.isFrozen).toBe(false);
  });

  test('lets the whole time pass after the work that is due, while a flowing clock goes on', async () => {
    const machine = new ManualClock();
    const asked = withResolvers();
    const gate = withResolvers();
    const { server, ada, signUp } = startWithJourney({
      clock: 'flowing',
      systemClock: machine,
      fetch: async () => {
        asked.resolve();
        await gate.promise;
        await signUp(phone);
        return new Response(null, { status: 204 });
      },
    });
    await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });
    await ada.says('Sign me up');
    const nothing = ada.receivesNothing({ within: '1d' });
    await within('the delivery', asked.promise);
    machine.pass(1_000);
    gate.resolve();
    await expect(nothing).rejects.toThrow('"tips" at');
  });

  test('shares the time with calls for other contacts at once', async () => {
    const { server, ada, grace, signUp } = startWithJourney();
    const start = server.clock.now();
    await signUp(otherPhone);
    const [first, second] = await Promise.allSettled([
      ada.receivesNothing({ within: '1d' }),
      grace.receivesNothing({ within: '12h' }),
    ]);
    expect(server.clock.now()).toBe(start + 86_400_000);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  });

  test('waits for the deliveries that are due, and for what their receivers do', async () => {
    const { server, ada, send } = startWithJourney({
      fetch: async () => {
        await send(phone, 'offer');
        return new Response(null, { status: 204 });
      },
    });
    await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['contact.opted_out'] });
    await ada.says('STOP');
    await expect(ada.receivesNothing()).rejects.toThrow('"offer"');
  });

  test('rejects when the workspace is closed, also while it waits', async () => {
    const gate = withResolvers<Response>();
    const { server } = startWithJourney({ fetch: () => gate.promise });
    const workspace = server.workspace();
    const ada = workspace.contact(phone);
    await workspace.client.webhooks.create({
      url: 'https://example.com/hooks',
      events: ['message.received'],
    });
    await ada.says('Hello');
    const waiting = ada.receivesNothing({ within: '1d' }).catch((error: unknown) => String(error));
    await workspace.close();
    expect(await within('the end', waiting)).toMatch(
      /This workspace is closed|closed during receivesNothing/,
    );
    await expect(ada.receivesNothing()).rejects.toThrow('This workspace is closed');
    gate.resolve(new Response());
  });

  test('rejects when the server stops under it', async () => {
    const gate = withResolvers<Response>();
    const { server, ada } = startWithJourney({ fetch: () => gate.promise });
    await server.client.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });
    await ada.says('Hello');
    const waiting = ada.receivesNothing().catch((error: unknown) => String(error));
    const closed = server.close();
    gate.resolve(new Response());
    expect(await within('the end', waiting)).toContain('The workspace closed during receivesNothing().');
    await closed;
  });

  test.each([{ within: 'a day' }, { within: -1 }, { timeout: 5 }, { within: null }])(
    'rejects the options %j, and moves no clock',
    async (options) => {
      const { server, ada } = startWithJourney();
      const start = server.clock.now();
      await expect(Reflect.apply(ada.receivesNothing, ada, [options])).rejects.toThrow(ConfigurationError);
      expect(server.clock.now()).toBe(start);
    },
  );

  test('moves no clock beyond the last year', async () => {
    const { server } = startWithJourney({ now: '9899-12-31T00:00:00Z' });
    await expect(server.contact(phone).receivesNothing({ within: '2d' })).rejects.toThrow(RangeError);
  });
});

describe('did', () => {
  test('takes each event once, by its name and some properties in any order', async () => {
    const { server, ada, grace } = startWithJourney();
    const track = (who: string, properties: object) =>
      server.client.events.track({ event: 'order_placed', phone: who, properties: { ...properties } });
    await track(otherPhone, { total: 9 });
    await track(phone, { total: 1, item: { id: 'A', size: 2 } });
    await track(phone, { total: 2, item: { size: 2, id: 'A' } });
    const wanted = { properties: { item: { id: 'A', size: 2 } } };
    expect(await ada.did('order_placed', { properties: { total: 2, ...wanted.properties } })).toEqual({
      id: expect.any(String),
      event: 'order_placed',
      properties: { total: 2, item: { size: 2, id: 'A' } },
      at: server.clock.now(),
    });
    expect((await ada.did('order_placed', wanted)).properties.total).toBe(1);
    expect((await grace.did('order_placed')).properties).toEqual({ total: 9 });
    const { id: contactId } = await server.client.contacts.upsert({ phone });
    await server.faults.add({ operation: 'events.track', fault: { kind: 'status', status: 500 } });
    await server.client.events.track({ event: 'other', contactId }).catch(() => {});
    const late: unknown = await ada
      .did('order_placed', { ...wanted, timeout: 1 })
      .catch((error: unknown) => error);
    expect(String(late).split('\n')).toEqual([
      'WaitTimeoutError: There was no tracked event "order_placed" with property item {"id":"A","size":2} of +***67 within 1 ms.',
      'Tracked events of this contact:',
      '  - "order_placed" at 2026-01-01T00:00:00.000Z: an earlier did() took it',
      '  - "order_placed" at 2026-01-01T00:00:00.000Z: an earlier did() took it',
      'Tracked events "order_placed" of other contacts:',
      '  - +***50 at 2026-01-01T00:00:00.000Z',
      'Failed requests:',
      expect.stringMatching(/^ {2}- "other" at .+: 500 \(injected fault: status\) ./),
    ]);
  });
});

describe('chat', () => {
  test('has both directions of one contact in their order', async () => {
    const { server, ada, grace, send, signUp } = startWithJourney();
    const at = server.clock.now();
    await ada.says('Hello');
    await grace.says('Hi');
    await send(phone, 'offer');
    await signUp(phone);
    await server.clock.advance('1d');
    await ada.says('STOP');
    expect(await ada.chat()).toEqual([
      { from: 'contact', id: expect.any(String), text: 'Hello', at },
      expect.objectContaining({ from: 'workspace', template: 'offer', at }),
      expect.objectContaining({
        from: 'workspace',
        template: 'tips',
        text: 'Ten tips.',
        at: at + 86_400_000,
      }),
      { from: 'contact', id: expect.any(String), text: 'STOP', consent: 'opted_out', at: at + 86_400_000 },
    ]);
    expect(await grace.chat()).toMatchObject([{ text: 'Hi' }]);
  });

  test('keeps what a phone had before its contact was deleted, and takes nothing', async () => {
    const { server, ada, send } = startWithJourney();
    await send(phone, 'offer');
    await server.client.contacts.delete(String((await server.contacts.read(phone))?.id));
    expect(await ada.consent()).toBeUndefined();
    await ada.says('Hello again');
    expect((await ada.chat()).map(({ text }) => text.slice(0, 5))).toEqual(['An of', 'Hello']);
    expect(await ada.receives('offer')).toMatchObject({ template: 'offer' });
  });
});
