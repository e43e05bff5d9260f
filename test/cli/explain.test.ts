import { expect, test } from 'vitest';
import { runAt, serve } from './served.js';

/** A server with a delivery to a port where nothing listens, and its id. */
async function startWithFailure() {
  const { url, ask } = await serve();
  await ask('/api/v1/webhooks', { url: 'http://127.0.0.1:9/hooks', events: ['message.received'] });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  await ask('/control/journal?type=attempt&wait=10s');
  const { data } = Object(await (await ask('/control/deliveries')).json());
  return { url, id: String(data[0].id) };
}

test('explain says why a delivery failed, and what to do', async () => {
  const { url, id } = await startWithFailure();
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
});

test('explain --json prints the whole explanation', async () => {
  const { url, id } = await startWithFailure();
  const { lines } = await runAt(url, 'explain', id, '--json');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { deliveryId: id, causes: [{ cause: 'unreachable' }], signature: { matches: true } },
  ]);
});

test('explain of what is not known ends with 1', async () => {
  const { url } = await serve();
  const { exitCode, lines, complaints } = await runAt(url, 'explain', '../reset');
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] });
  expect(complaints).toMatch(/refused this with 404: not_found: /);
});
