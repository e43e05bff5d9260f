import type { Remedy } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { reply } from '../support/receiver.js';
import { askWith, phone, startServer } from '../support/reference.js';
import { deliverTo } from '../support/subscribed.js';

const templates = [{ id: 'welcome', body: 'Welcome!' }];

/** A server, a send that it refuses, and its remedy. */
async function refuseASend() {
  const server = startServer({ templates, contacts: [{ phone }] });
  const ask = askWith(server);
  const carryOut = async ({ requests }: Remedy) => {
    const statuses: number[] = [];
    for (const { method, path, body } of requests)
      statuses.push((await ask(method, `/..${path}`, body)).status);
    return statuses;
  };
  return {
    server,
    carryOut,
    async remedy() {
      const { status } = await ask('POST', '/v1/transactional', { phone, templateId: 'welcome' });
      expect(status).toBeGreaterThanOrEqual(400);
      return (await server.journal.inspect((await server.journal.entries()).length)).remedy;
    },
  };
}

test.each([
  ['Restore 100 sends', { quota: 0, status: 'approved' }],
  ['Resume the template', { quota: 1, status: 'paused' }],
  ['Approve the template', { quota: 1, status: 'rejected' }],
] as const)('%s and send again: the requests that do so', async (words, { quota, status }) => {
  const { server, remedy, carryOut } = await refuseASend();
  await server.quota.set({ quota });
  await server.templates.update('welcome', { status });
  const found = await remedy();
  expect(found?.label).toBe(`${words} and send again`);
  expect(found && (await carryOut(found))).toEqual([200, 200]);
  expect(await server.sends.find()).toHaveLength(1);
});

test('a fault that refused a send: it ends, and the send is made, unless the send was carried out', async () => {
  const { server, remedy, carryOut } = await refuseASend();
  await server.faults.add({ operation: 'transactional.send', fault: { kind: 'status', status: 500 } });
  const found = await remedy();
  expect(found?.label).toBe('End the fault and send again');
  expect(found && (await carryOut(found))).toEqual([204, 200]);
  expect(await server.faults.list()).toEqual([]);

  const when = 'after_commit';
  await server.faults.add({ operation: 'transactional.send', fault: { kind: 'status', status: 500, when } });
  expect(await remedy()).toBeUndefined();
});

test('a fault that made a delivery fail: it ends, and the delivery is sent again', async () => {
  const { server, deliver } = await deliverTo([reply(204)]);
  await server.faults.add({ delivery: 'any', fault: { kind: 'status', status: 500 } });
  await deliver();
  const [waiting] = await server.journal.deliveries();
  const labelOf = async () => (await server.deliveries.explain(String(waiting?.id))).remedy?.label;
  expect(await labelOf()).toBe('End the fault and advance to the retry');
  await server.clock.flow();
  expect(await labelOf()).toBe('End the fault; the retry follows');
  await server.clock.runToIdle();
  expect(await labelOf()).toBe('End the fault and redeliver');
  await server.faults.clear();
  expect(await labelOf()).toBeUndefined();
});
