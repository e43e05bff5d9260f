import { expect, test } from 'vitest';
import { serveRequests } from './http-servers.js';
import { runAt, serve } from './served.js';

/** A server with a delivery that came, and the bodies that the receiver got. */
async function startWithDelivery() {
  const bodies: string[] = [];
  const receiver = await serveRequests(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    response.writeHead(204).end();
  });
  const hook = `${receiver}/hooks`;
  const { url, ask } = await serve();
  await ask('/api/v1/webhooks', { url: `${hook}?token=of_the_receiver`, events: ['message.received'] });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  await ask('/control/settled', {});
  const settle = () => ask('/control/settled', {});
  return { url, hook, bodies, settle };
}

/** The id of the first delivery, as `logs` shows it. */
async function idIn(url: string): Promise<string> {
  const { lines } = await runAt(url, 'logs', '--type', 'attempt');
  const [, id = ''] = / of (delivery_\w+):/.exec(lines.join('\n')) ?? [];
  return id;
}

test('redeliver sends the same bytes once more', async () => {
  const { url, hook, bodies, settle } = await startWithDelivery();
  const id = await idIn(url);
  const { exitCode, lines } = await runAt(url, 'redeliver', id);
  expect(exitCode).toBe(0);
  expect(lines.join('\n')).toMatch(/^delivery_\w+ repeats delivery_\w+: the same message\.received to /);
  expect(lines.join('\n')).toContain(` repeats ${id}: the same message.received to ${hook}.`);
  await settle();
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
});

test('redeliver --json prints the new delivery, masked', async () => {
  const { url } = await startWithDelivery();
  const id = await idIn(url);
  const { lines } = await runAt(url, 'redeliver', id, '--json');
  const [delivery] = lines.map((line) => JSON.parse(line));
  expect(delivery).toMatchObject({ event: 'message.received', status: 'pending' });
  expect(delivery.id).not.toBe(id);
  expect(lines.join('')).not.toContain('5551234567');
});

test('redeliver of what is not known ends with 1', async () => {
  const { url } = await serve();
  const { exitCode, lines, complaints } = await runAt(url, 'redeliver', '../reset');
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] });
  expect(complaints).toMatch(/refused this with 404: not_found: /);
});

test('redeliver without an id ends with 2', async () => {
  const { exitCode, complaints } = await runAt('http://127.0.0.1:4010', 'redeliver');
  expect(exitCode).toBe(2);
  expect(complaints).toContain("missing required argument 'id'");
});
