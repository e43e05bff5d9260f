import assert from 'node:assert/strict';
import { MessagingAutomation } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { undiciTransport } from 'messaging-automation/undici';
import { Agent } from 'undici';

const server = createReferenceServer();
const { baseUrl } = await server.listen();
for (const options of [{}, { connections: 2 }, { dispatcher: new Agent() }]) {
  const transport = undiciTransport(options);
  const messaging = new MessagingAutomation({ baseUrl, apiKey: server.apiKey, transport });
  const calls = Array.from({ length: 20 }, () => messaging.contacts.upsert({ phone: '+15551234567' }));
  assert.equal(new Set((await Promise.all(calls)).map(({ id }) => id)).size, 1);
  await server.faults.add({ operation: 'any', times: 1, fault: { kind: 'reset', when: 'before_commit' } });
  assert.ok(await messaging.contacts.find('+15551234567')); // the client repeats it
  await transport.close();
  await options.dispatcher?.close();
}
await server.close();
