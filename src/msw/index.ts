/**
 * Connects the reference server to [MSW](https://mswjs.io), so that your tests need no socket. Requires `msw` 2.
 *
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { MessagingAutomation } from 'messaging-automation';
 * import { mswHandlers } from 'messaging-automation/msw';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * const baseUrl = 'https://api.example.test/api';
 * await using server = createReferenceServer();
 * const network = setupServer(...mswHandlers(server, { baseUrl }));
 * network.listen({ onUnhandledRequest: 'error' });
 *
 * const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });
 * await messaging.contacts.upsert({ phone: '+15551234567' }); // from the reference server
 * network.close();
 * ```
 *
 * Read on: [test your integration](../../docs/guides/test-your-integration.md).
 *
 * @module messaging-automation/msw
 */
export { type MswHandlersOptions, mswHandlers } from './msw-handlers.js';
