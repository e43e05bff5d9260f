import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';

const [connectionString, schema] = process.argv.slice(2);
const received = [];
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(received.push(request.url) === 1 ? 500 : 204).end());
});
await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
const server = createReferenceServer({
  store: postgresStore({ connectionString, schema }),
  apiKey: 'test_key',
  templates: [{ id: 'welcome', body: 'Welcome!' }],
  journeys: [{ id: 'follow_up', event: 'signed_up', steps: [{ wait: '1d' }, { send: 'welcome' }] }],
});
await server.client.contacts.upsert({ phone: '+15551234567' });
await server.clock.freeze();
const url = `http://127.0.0.1:${receiver.address().port}/hooks`;
await server.client.webhooks.create({ url, events: ['message.received'] });
await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
await server.client.events.track({ event: 'signed_up', phone: '+15551234567' });
await server.clock.advance('2d');
await server.settled();
assert.equal(received.length, 2);
const [delivery] = await server.journal.deliveries();
assert.equal(delivery?.status, 'delivered');
assert.equal((await server.journal.sends()).length, 1);
await server.close();
receiver.close();
