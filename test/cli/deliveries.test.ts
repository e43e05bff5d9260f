import { expect, test } from 'vitest';
import { answer, startReceiver } from '../server/support/receiver.js';
import { runAt, serve } from './served.js';

/** A server with one delivery, which came or failed, and its id as `logs` shows it. */
async function startWithDelivery(hook: string) {
  const { url, ask } = await serve();
  await ask('/api/v1/webhooks', { url: `${hook}?token=of_the_receiver`, events: ['message.received'] });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  await ask('/control/journal?type=attempt&wait=10s');
  const { lines } = await runAt(url, 'logs', '--type', 'attempt');
  const [, id = ''] = / of (delivery_\w+):/.exec(lines.join('\n')) ?? [];
  return { url, id, settle: () => ask('/control/settled', {}) };
}

test('redeliver sends the same bytes once more, and says so in words or as masked JSON', async () => {
  const receiver = await startReceiver(answer(204));
  const { url, id, settle } = await startWithDelivery(receiver.url);
  const { exitCode, lines } = await runAt(url, 'redeliver', id);
  expect(exitCode).toBe(0);
  expect(lines.join('\n')).toMatch(/^delivery_\w+ repeats /);
  expect(lines.join('\n')).toContain(` repeats ${id}: the same message.received to ${receiver.url}.`);
  await settle();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body);
  const { lines: data } = await runAt(url, 'redeliver', id, '--json');
  const [delivery] = data.map((line) => JSON.parse(line));
  expect(delivery).toMatchObject({ redeliveryOf: id, event: 'message.received', status: 'pending' });
  expect(data.join('')).not.toContain('5551234567');
});

test('explain says why a delivery failed, and what to do, in words or as JSON', async () => {
  const { url, id } = await startWithDelivery('http://127.0.0.1:9/hooks');
  const { exitCode, lines } = await runAt(url, 'explain', id);
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    `${id} is pending.`,
    [
      '',
      '  unreachable (certain)',
      '  Nothing listens on 127.0.0.1:9.',
      "  Start your receiver, or correct the subscription's URL. In a container, localhost is the container itself.",
    ].join('\n'),
  ]);
  const { lines: data } = await runAt(url, 'explain', id, '--json');
  expect(data.map((line) => JSON.parse(line))).toMatchObject([
    { deliveryId: id, causes: [{ cause: 'unreachable' }], signature: { matches: true } },
  ]);
});

test('explain prints its advice on secrets whole, and no secret', async () => {
  const { url, id } = await startWithDelivery((await startReceiver(answer(401))).url);
  const { lines } = await runAt(url, 'explain', id);
  expect(lines[1]).toContain('wrong_secret (likely)');
  expect(lines[1]).toContain('correct the secret. The prefix whsec_ is a part of it.');
  expect(lines.join('')).not.toMatch(/\*\*\*|whsec_\w/);
});

test.each(['redeliver', 'explain'])('%s of what is not known ends with 1', async (command) => {
  const { url } = await serve();
  const { exitCode, lines, complaints } = await runAt(url, command, '../reset');
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] });
  expect(complaints).toMatch(/refused this with 404: not_found: /);
});
