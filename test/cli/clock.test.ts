import { expect, test } from 'vitest';
import { runAt, type Served, serve, temporaryFile } from './served.js';

const nine = '2026-01-01T09:00:00.000Z';

async function startFrozen() {
  return serve('--seed', await temporaryFile('seed.yaml', 'clock: frozen\nnow: 2026-01-01T09:00:00Z\n'));
}

/** Leaves a delivery that fails at once, since nothing listens there. */
async function failDelivery({ ask }: Served) {
  await ask('/api/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['message.received'] });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  await ask('/control/settled', {});
}

test("clock prints the workspace's time, as text and as JSON", async () => {
  const { url } = await startFrozen();
  expect(await runAt(url, 'clock')).toEqual({ exitCode: 0, lines: [nine], complaints: '' });
  const { lines } = await runAt(url, 'clock', '--json');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { now: Date.UTC(2026, 0, 1, 9), time: nine, flow: 'frozen' },
  ]);
});

test.each([
  [['advance', '10s'], '2026-01-01T09:00:10.000Z'],
  [['advance', '250'], '2026-01-01T09:00:00.250Z'],
  [['set', '2026-02-01T00:00:00Z'], '2026-02-01T00:00:00.000Z'],
  [['set', String(Date.UTC(2026, 2, 1))], '2026-03-01T00:00:00.000Z'],
])('clock %j moves it, and prints the new time', async (words, time) => {
  const { url } = await startFrozen();
  expect(await runAt(url, 'clock', ...words)).toMatchObject({ exitCode: 0, lines: [time] });
  expect(await runAt(url, 'clock')).toMatchObject({ lines: [time] });
});

test('clock next moves to what is due next, and says so', async () => {
  const served = await startFrozen();
  const { url } = served;
  expect(await runAt(url, 'clock', 'next')).toMatchObject({ exitCode: 0, lines: [nine] });
  await failDelivery(served);
  expect(await runAt(url, 'clock', 'next')).toMatchObject({
    lines: [expect.stringContaining('attempt 2 of delivery_'), '2026-01-01T09:00:10.000Z'],
  });
  const { lines } = await runAt(url, 'clock', '--json');
  expect(JSON.parse(lines.join(''))).toMatchObject({ next: Date.parse('2026-01-01T09:01:10Z') });
});

test('clock flow lets the time run, and clock freeze stops it', async () => {
  const { url } = await startFrozen();
  const flowing = await runAt(url, 'clock', 'flow', '--json');
  expect(flowing.exitCode).toBe(0);
  expect(JSON.parse(flowing.lines.join(''))).toMatchObject({ flow: 'flowing' });
  const frozen = await runAt(url, 'clock', 'freeze');
  expect(frozen).toMatchObject({ exitCode: 0, lines: [expect.stringMatching(/^2026-01-01T09:/)] });
  expect(await runAt(url, 'clock')).toEqual(frozen);
});

test('clock run-to-idle does what waits', async () => {
  const served = await startFrozen();
  const { url, ask } = served;
  await failDelivery(served);
  expect(await runAt(url, 'clock', 'run-to-idle')).toMatchObject({ exitCode: 0 });
  const response = await ask('/control/deliveries');
  expect(await response.json()).toMatchObject({ data: [{ status: 'failed', attempts: [{}, {}, {}] }] });
});

test.each([
  [['advance', 'soon'], /refused this with 400: invalid_request: by must be a duration/],
  [['set', '2025-01-01'], /refused this with 400: .*cannot go back/],
])('clock %j ends with 1 and what the server says', async (words, complaint) => {
  const { url } = await startFrozen();
  const { exitCode, lines, complaints } = await runAt(url, 'clock', ...words);
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] });
  expect(complaints).toMatch(complaint);
});
