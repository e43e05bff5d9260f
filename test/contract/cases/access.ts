import { MessagingAutomation, MessagingAutomationError } from 'messaging-automation';
import { expect } from 'vitest';
import { contractCase } from '../contract-case.js';

const phone = '+15551234567';

const endpoints = [
  ['POST', '/v1/contacts'],
  ['GET', '/v1/contacts/find?phone=%2B15551234567'],
  ['GET', '/v1/contacts/1'],
  ['PUT', '/v1/contacts/1'],
  ['DELETE', '/v1/contacts/1'],
  ['POST', '/v1/transactional'],
  ['POST', '/v1/events'],
  ['POST', '/v1/webhooks'],
  ['GET', '/v1/webhooks'],
  ['DELETE', '/v1/webhooks/1'],
  ['GET', '/v1/templates'],
] as const;

/** §5 Authentication. */
export const accessCases = [
  contractCase('§5 every request carries the key: without it, no endpoint lets in', async ({ world }) => {
    for (const [method, path] of endpoints) {
      const bare = await fetch(`${world.baseUrl}${path}`, { method });
      expect([401, 403], `${method} ${path}`).toContain(bare.status);
    }
  }),

  contractCase('§5 a key that is not valid does not let in', async ({ world }) => {
    const stranger = new MessagingAutomation({ apiKey: `not_${world.apiKey}`, baseUrl: world.baseUrl });
    const refusal = stranger.contacts.upsert({ phone });
    await expect(refusal).rejects.toThrow(MessagingAutomationError);
    await expect(refusal).rejects.toMatchObject({ status: expect.toSatisfy((s) => s === 401 || s === 403) });
  }),

  contractCase('§5 the workspace of the key owns what the key creates', async ({ world, messaging }) => {
    const { id } = await messaging.contacts.upsert({ phone });
    const again = new MessagingAutomation({ apiKey: world.apiKey, baseUrl: world.baseUrl });
    expect(await again.contacts.get(id)).toMatchObject({ id });
  }),
];
