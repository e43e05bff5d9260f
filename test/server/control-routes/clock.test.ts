import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { invalid, phone, startServer } from '../support/reference.js';
import { control, startWithControl } from './support.js';

const nine = '2026-01-01T09:00:00.000Z';

describe('/control/clock', () => {
  test('says when the next work is due, and moves to it', async () => {
    const receiver = await startReceiver(reply(500));
    const { server, ask } = startWithControl({ now: nine });
    expect((await ask('GET', '/clock')).body).toEqual({ now: Date.parse(nine), time: nine, flow: 'frozen' });
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    expect(await ask('POST', '/settled')).toMatchObject({
      body: { time: nine, next: Date.parse('2026-01-01T09:00:10Z') },
    });
    expect(await ask('POST', '/clock/advance-to-next')).toMatchObject({
      status: 200,
      body: { time: '2026-01-01T09:00:10.000Z', next: Date.parse('2026-01-01T09:01:10Z') },
    });
    expect(receiver.received).toHaveLength(2);
    await ask('POST', '/clock/advance-to-next');
    const { status, body } = await ask('POST', '/clock/advance-to-next');
    const time = '2026-01-01T09:01:10.000Z';
    expect({ status, body }).toEqual({ status: 200, body: { now: Date.parse(time), time, flow: 'frozen' } });
  });

  test('freezes, flows, and is moved', async () => {
    const machine = new ManualClock();
    const ask = control(startServer({ now: nine, systemClock: machine }));
    const flowing = await ask('POST', '/clock/flow');
    expect(flowing).toMatchObject({ status: 200, body: { time: nine, flow: 'flowing' } });
    machine.pass(1_000);
    const at = { time: '2026-01-01T09:00:01.000Z', flow: 'frozen' };
    expect(await ask('POST', '/clock/freeze')).toMatchObject({ status: 200, body: at });
    machine.pass(1_000);
    expect(await ask('GET', '/clock')).toMatchObject({ body: at });
    expect(await ask('POST', '/clock/advance', { by: '90s' })).toMatchObject({
      body: { time: '2026-01-01T09:01:31.000Z' },
    });
    expect(await ask('POST', '/clock/set', { to: '2026-02-01' })).toMatchObject({
      body: { time: '2026-02-01T00:00:00.000Z' },
    });
  });

  test.each([
    ['/clock/advance', {}, 'by'],
    ['/clock/advance', { by: '10 seconds' }, 'by'],
    ['/clock/advance', { by: -1 }, 'by'],
    ['/clock/advance', { by: '1s', to: nine }, 'to'],
    ['/clock/set', { to: 'tomorrow' }, 'to'],
  ])('refuses what it cannot make sense of: %s %j', async (path, body, field) => {
    const ask = control(startServer({ now: nine }));
    expect(await ask('POST', path, body)).toMatchObject(invalid(field));
    expect(await ask('GET', '/clock')).toMatchObject({ body: { time: nine } });
  });

  test('is not set back', async () => {
    const ask = control(startServer({ now: nine }));
    const { status, body } = await ask('POST', '/clock/set', { to: 0 });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        code: 'invalid_request',
        message:
          'The clock is at 2026-01-01T09:00:00.000Z and cannot go back to 1970-01-01T00:00:00.000Z. Set a later time, or use reset() or restore().',
      },
    });
  });
});
