import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { openWorkspace } from '../support/subscribed.js';

const openToReceiver = async (options: ReferenceServerOptions = {}) => {
  const opened = openWorkspace({ receiverAddresses: 'public', clock: 'frozen', ...options });
  const { url } = opened.server.receiver.read();
  return { ...opened, subscription: await opened.subscribe(url) };
};

test('the built-in receiver fails and then accepts a delivery, with the attempts of every other receiver', async () => {
  const { server, deliver } = await openToReceiver();
  await server.receiver.set({ mode: 'wrong_secret' });
  await deliver();
  await server.receiver.set({ mode: 'error' });
  await server.clock.advanceToNext();
  await server.receiver.set({ mode: 'verify' });
  await server.clock.advanceToNext();
  const [delivery] = await server.journal.deliveries();
  expect(delivery?.attempts.map(({ status, responseBody: response }) => [status, response])).toEqual([
    [401, 'The signature does not match.'],
    [500, 'My handler failed.'],
    [200, 'Verified.'],
  ]);
  expect(delivery?.status).toBe('delivered');
});

test('a late response of the built-in receiver arrives after the timeout', async () => {
  const systemClock = new ManualClock();
  const { server, receive } = await openToReceiver({ systemClock, clock: 'flowing' });
  await server.receiver.set({ mode: 'late' });
  await receive();
  await systemClock.waitFor(2); // of the attempt and of the response
  systemClock.pass(5_000);
  await server.settled();
  const [delivery] = await server.journal.deliveries();
  expect(delivery?.attempts).toMatchObject([{ error: 'no complete response within 5 s' }]);
});

test('the built-in receiver verifies: a changed body gets 401, and a subscription that was deleted gets nothing', async () => {
  const { server, deliver, unsubscribe, subscription, outcomes } = await openToReceiver();
  await server.faults.add({ delivery: 'any', fault: { kind: 'tamper', part: 'body' } });
  await deliver();
  expect((await server.journal.deliveries())[0]?.attempts).toMatchObject([{ status: 401 }]);
  await unsubscribe(subscription);
  await server.clock.advance('1d');
  expect(await outcomes()).toMatchObject([['cancelled', [expect.anything()]]]);
});

test('how the built-in receiver responds is kept with the state, and ends with a reset', async () => {
  const { server } = openWorkspace({ apiKey: 'test_key' });
  await server.receiver.set({ mode: 'late' });
  await using again = createReferenceServer({
    apiKey: 'test_key',
    state: JSON.parse(JSON.stringify(await server.state())),
  });
  expect(again.receiver.read().mode).toBe('late');
  await again.reset();
  expect(again.receiver.read().mode).toBe('verify');
});
