import { get } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { MemorySends } from '../../../src/server/store/memory/memory-sends.js';
import { until, within, withResolvers } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { field, otherPhone, phone, refusal, startServer } from '../support/reference.js';
import { control, dataOf } from './support.js';

const templates = [
  { id: 'hi', body: 'Hi' },
  { id: 'bye', body: 'Bye' },
];

function waiting() {
  const machine = new ManualClock();
  const server = startServer({
    templates,
    systemClock: machine,
    contacts: [{ phone }, { phone: otherPhone }],
  });
  const send = (templateId: string, to = phone) =>
    server.client.transactional.send({ phone: to, templateId });
  return { machine, server, send, ask: control(server) };
}

describe('a wait', () => {
  test('gets a send that happens while it reads', async () => {
    const { server, send, ask, machine } = waiting();
    const { promise: opened, resolve: open } = withResolvers();
    const read = MemorySends.prototype.page;
    using reading = vi.spyOn(MemorySends.prototype, 'page').mockImplementationOnce(async function (
      this: MemorySends,
      ...range
    ) {
      const before = await read.apply(this, range);
      await opened;
      return before;
    });
    const responded = ask('GET', '/sends?templateId=hi&wait=60s');
    await until('the read', () => reading.mock.calls.length === 1);
    await send('hi');
    open();
    const { body } = await within('the response', responded);
    expect(body).toMatchObject({ data: [{ templateId: 'hi' }] });
    expect(machine.waiting).toBe(0);
    await server.close();
  });

  test('waits behind its cursor', async () => {
    const { send, ask, machine } = waiting();
    await send('hi');
    const { body } = await ask('GET', '/sends');
    const next = ask('GET', `/sends?cursor=${field(body, 'cursor')}&wait=1s`);
    await machine.waitFor(1);
    await send('bye');
    expect(dataOf((await next).body)).toMatchObject([{ templateId: 'bye' }]);
  });

  test('times out with 408 and the closest sends', async () => {
    const { send, ask, machine } = waiting();
    await send('bye');
    const responded = ask('GET', '/sends?templateId=hi&contact=%2B15551234567&wait=2s');
    await machine.waitFor(1);
    machine.pass(2_000);
    const { status, body } = await responded;
    expect([status, body]).toEqual([408, refusal('wait_timeout')]);
    expect(field(field(body, 'error'), 'message')).toMatch(
      /^There was no send with contact "\+\*\*\*67" and template "hi" within 2000 ms\.\nThe only candidate:\n {2}- "bye"/,
    );
    expect(machine.waiting).toBe(0);
  });

  test('for events finds a contact who is created during the wait', async () => {
    const { server, ask, machine } = waiting();
    const responded = ask('GET', '/events?event=seen&contact=%2B15550001111&wait=1s');
    await machine.waitFor(1);
    await server.client.contacts.upsert({ phone: '+15550001111' });
    await server.client.events.track({ event: 'seen', phone });
    await server.client.events.track({ event: 'seen', phone: '+15550001111' });
    const { id } = (await server.contacts.read('+15550001111')) ?? {};
    expect(dataOf((await responded).body)).toMatchObject([{ contactId: id }]);
  });

  test('for a delivery waits until it is delivered, or for the status that it names', async () => {
    const receiver = await startReceiver(reply(500), reply(204));
    const { server, ask, machine } = waiting();
    await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
    const [delivered, pending] = [
      ask('GET', '/deliveries?event=message.received&wait=1s'),
      ask('GET', '/deliveries?status=pending&wait=1s'),
    ];
    await machine.waitFor(2);
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    expect(dataOf((await pending).body)).toMatchObject([{ status: 'pending' }]);
    await server.settled();
    await server.clock.advance('10s');
    expect(dataOf((await delivered).body)).toMatchObject([
      { status: 'delivered', attempts: [{ status: 500 }, { status: 204 }] },
    ]);
  });

  test('for an entry of the journal starts after a number', async () => {
    const { server, ask, machine } = waiting();
    await server.simulate.inboundMessage({ phone, body: 'One' });
    const responded = ask('GET', '/journal?type=message&since=1&wait=1s');
    await machine.waitFor(1);
    await server.client.templates.list();
    await server.simulate.inboundMessage({ phone, body: 'Two' });
    expect(dataOf((await responded).body)).toMatchObject([{ number: 3, body: 'Two' }]);
  });

  test('ends when its client disconnects, on a socket and without', async () => {
    const { server, machine } = waiting();
    const { url } = await server.listen();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const request = get(`${url}/control/sends?wait=60s`, { headers });
    request.on('error', () => {});
    await machine.waitFor(1);
    request.destroy();
    await machine.waitFor(0);

    const controller = new AbortController();
    const fetched = server.fetch(
      new Request('http://localhost/control/sends?wait=60s', { headers, signal: controller.signal }),
    );
    const failure = expect(fetched).rejects.toThrow('no more');
    await machine.waitFor(1);
    controller.abort(new Error('no more'));
    await failure;
    expect(machine.waiting).toBe(0);
  });

  test('ends with its workspace', async () => {
    const { server, machine } = waiting();
    const workspace = server.workspace();
    const responded = control(server, workspace)('GET', '/sends?wait=60s');
    await machine.waitFor(1);
    await workspace.close();
    expect(await responded).toMatchObject({ status: 503, body: refusal('closing') });
    expect(machine.waiting).toBe(0);
  });

  test('is rejected with 429 if a hundred others wait in its workspace', async () => {
    const { send, ask, machine } = waiting();
    const waits = Array.from({ length: 100 }, () => ask('GET', '/sends?wait=60s'));
    await machine.waitFor(100);
    const refused = await ask('GET', '/sends?wait=60s');
    expect(refused).toMatchObject({ status: 429, body: refusal('rate_limited') });
    expect(refused.headers.get('retry-after')).toBe('1');
    await send('hi');
    const responses = await Promise.all(waits);
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
    expect((await ask('GET', '/sends?wait=1s')).status).toBe(200);
  });
});
