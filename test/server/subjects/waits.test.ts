import { getEventListeners } from 'node:events';
import { ConfigurationError, WaitTimeoutError } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { otherPhone, phone, startServer } from '../support/reference.js';

const templates = [
  { id: 'welcome', body: 'Welcome, {{1}}!' },
  { id: 'bye', body: 'Good-bye, {{1}}' },
];

/** A server with two contacts and two templates. */
function startWithContacts() {
  const machine = new ManualClock();
  const server = startServer({
    templates,
    systemClock: machine,
    contacts: [{ phone }, { phone: otherPhone }],
  });
  const send = (to: string, name: string, templateId = 'welcome') =>
    server.client.transactional.send({ phone: to, templateId, variables: { '1': name } });
  return { server, machine, send };
}

describe('sends.waitFor', () => {
  test('counts sends before the call for nth', async () => {
    const { server, send } = startWithContacts();
    await send(phone, 'Ada');
    const second = server.sends.waitFor({ contact: phone }, { nth: 2 });
    await send(otherPhone, 'Zoë');
    await send(phone, 'Grace');
    expect(await within('the second send', second)).toMatchObject({ text: 'Welcome, Grace!' });
    await send(phone, 'Joan');
    expect(await server.sends.waitFor({ contact: phone }, { nth: 2 })).toMatchObject({
      text: 'Welcome, Grace!',
    });
  });

  test('finds every match of a pattern with the flag g, and the one of a contact by id', async () => {
    const { server, send } = startWithContacts();
    await send(phone, 'Ada');
    await send(otherPhone, 'Ada');
    expect(await server.sends.find({ text: /Ada/g })).toHaveLength(2);
    expect(await server.sends.find({ text: 'Ada' })).toEqual([]);
    const contact = String((await server.contacts.read(otherPhone))?.id);
    expect(await server.sends.find({ contact, text: /Ada/g })).toMatchObject([{ phone: otherPhone }]);
  });

  test('lists the five closest sends when it times out, the newest first, without whole phone numbers', async () => {
    const { server, send, machine } = startWithContacts();
    // Without the template and the contact, then with one of the two.
    await send(otherPhone, '1', 'bye');
    await send(otherPhone, '2');
    await server.clock.advance('1s');
    for (const name of ['3', '4', '5']) await send(phone, name, 'bye');
    await server.clock.advance('1s');
    await send(otherPhone, '6', 'bye');
    await send(otherPhone, '7');
    const waiting = server.sends.waitFor({ contact: phone, templateId: 'welcome' }, { timeout: '1s' });
    machine.pass(1_000);
    const error: unknown = await waiting.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    const toOther = (second: number) =>
      `  - "welcome" to +***50 at 2026-01-01T00:00:0${second}.000Z: its contact is "+***50", not "+***67"`;
    const bye = '  - "bye" to +***67 at 2026-01-01T00:00:01.000Z: its template is "bye", not "welcome"';
    expect(String(error).split('\n')).toEqual([
      'WaitTimeoutError: There was no send with contact "+***67" and template "welcome" within 1000 ms.',
      'The closest of 7 candidates:',
      toOther(2),
      bye,
      bye,
      bye,
      toOther(0),
    ]);
    expect(machine.waiting).toBe(0);
  });

  test.each([
    [`${otherPhone.slice(0, -3)}150`, 'its contact differs, but is also shown as "+***50"'],
    ['+29012345', 'its contact is "+***50", not "+***45"'],
  ])('tells the contact from %s in its error', async (contact, words) => {
    const { server, send, machine } = startWithContacts();
    await send(otherPhone, 'Grace');
    const waiting = server.sends.waitFor({ contact });
    machine.pass(2_000);
    await expect(waiting).rejects.toThrow(words);
    await expect(waiting).rejects.toThrow('The only candidate:');
  });

  test('rejects a filter with an unknown field', async () => {
    const { server, send } = startWithContacts();
    await send(phone, 'Ada');
    const wrong: object = { template: 'bye' };
    const words = 'The filter: template is not an option (do you mean templateId?).';
    await expect(server.sends.waitFor(wrong)).rejects.toThrow(new ConfigurationError(words));
    await expect(Reflect.apply(server.events.find, server.events, [{ contactId: 'x' }])).rejects.toThrow(
      'The filter: contactId is not an option (do you mean contact?).',
    );
    await expect(Reflect.apply(server.contacts.list, server, [{ property: {} }])).rejects.toThrow(
      'property is not an option (do you mean properties?)',
    );
  });

  test('rejects with a stack that leads to the line of the test', async () => {
    // By the machine's own clock: a test that moved it would itself stand in the stack.
    const server = startServer();
    const timeout = '1ms';
    const waits = [
      server.sends.waitFor({}, { timeout }),
      server.events.waitFor({}, { timeout }),
      server.deliveries.waitFor({}, { timeout }),
      server.journal.waitFor('send', undefined, { timeout }),
    ].map((wait) => wait.catch((error: Error) => error.stack));
    for (const stack of await Promise.all(waits)) {
      expect(stack).toMatch(
        /^WaitTimeoutError: There was no .+ within 1 ms\. The journal has no entry of this kind\.\n +at /,
      );
      expect(stack).toContain('waits.test.ts');
    }
  });

  test('rejects when its signal aborts, and leaves no timer and no listener behind', async () => {
    const { server, machine, send } = startWithContacts();
    const { signal, abort } = aborting();
    const successful = server.sends.waitFor({}, { signal });
    await send(phone, 'Ada');
    await successful;
    const aborted = server.sends.waitFor({ contact: otherPhone }, { signal });
    abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect([machine.waiting, getEventListeners(signal, 'abort')]).toEqual([0, []]);
    await expect(server.sends.waitFor({}, { signal })).rejects.toThrow('enough');
  });

  test.each([0, -1, 1.5, Number.NaN])('rejects an nth of %d', async (nth) => {
    await expect(startServer().sends.waitFor({}, { nth })).rejects.toThrow(ConfigurationError);
  });
});

function aborting() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) };
}
