import assert from 'node:assert/strict';
import { MessagingAutomation } from 'messaging-automation';
import { mswHandlers } from 'messaging-automation/msw';
import { createReferenceServer } from 'messaging-automation/server';
import { setupServer } from 'msw/node';

const server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] });
const baseUrl = 'https://api.example.com/api';
const network = setupServer(...mswHandlers(server, { baseUrl }));
network.listen({ onUnhandledRequest: 'error' });
const messaging = new MessagingAutomation({ baseUrl, apiKey: server.apiKey, retries: 0 });
await messaging.contacts.upsert({ phone: '+15551234567' });
const variables = { 1: 'Ada' };
await messaging.transactional.send({ phone: '+15551234567', templateId: 'welcome', variables });
const [send] = await server.journal.sends();
assert.equal(send?.text, 'Welcome, Ada!');
await assert.rejects(messaging.contacts.get('contact_9'), { name: 'NotFoundError', status: 404 });
network.close();
await server.close();
