import { NotFoundError, QuotaExceededError, SendFailedError } from 'messaging-automation';
import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase } from '../contract-case.js';
import { approvedTemplate, unapprovedTemplate, undeliverablePhone } from '../environment.js';

const phone = '+15551234567';
const message = { phone, templateId: approvedTemplate, variables: { '1': 'Ada', '2': 'A-1001' } };

/** §4 POST /v1/transactional, with its errors (§7) and its limit (§8). */
export const transactionalCases = [
  contractCase(statements.sendSucceeds, async ({ call, messaging }) => {
    await messaging.contacts.upsert({ phone });
    const response = await call('POST', '/v1/transactional', message);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ success: true });
    expect(await messaging.transactional.send(message)).toMatchObject({ success: true });
  }),

  contractCase(
    statements.sendOverQuota,
    async ({ call, messaging }) => {
      await messaging.contacts.upsert({ phone });
      const response = await call('POST', '/v1/transactional', message);
      expect(response.status).toBe(402);
      expect(await response.text()).toContain('"quota_exceeded"');
      const refusal = messaging.transactional.send(message);
      await expect(refusal).rejects.toThrow(QuotaExceededError);
      await expect(refusal).rejects.toMatchObject({ status: 402, code: 'quota_exceeded' });
    },
    { quota: 0 },
  ),

  contractCase(statements.sendToNobody, async ({ call, messaging }) => {
    const response = await call('POST', '/v1/transactional', message);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('"not_found"');
    const refusal = messaging.transactional.send(message);
    await expect(refusal).rejects.toThrow(NotFoundError);
    await expect(refusal).rejects.toMatchObject({ status: 404, code: 'not_found' });
  }),

  contractCase(statements.sendRejected, async ({ call, messaging }) => {
    await messaging.contacts.upsert({ phone });
    const rejected = { phone, templateId: unapprovedTemplate };
    const response = await call('POST', '/v1/transactional', rejected);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('"send_failed"');
    const refusal = messaging.transactional.send(rejected);
    await expect(refusal).rejects.toThrow(SendFailedError);
    await expect(refusal).rejects.toMatchObject({ status: 422, code: 'send_failed' });
  }),
];

/** §7 and §8, where they say more of a send than §4 does. */
export const sendLimitCases = [
  ...(
    [
      [statements.sendUnapproved, { phone, templateId: unapprovedTemplate }],
      [statements.sendBadVariables, { ...message, variables: { '1': 'Ada' } }],
      [statements.sendProviderIssue, { ...message, phone: undeliverablePhone }],
    ] as const
  ).map(([statement, refused]) =>
    contractCase(statement, async ({ messaging }) => {
      await messaging.contacts.upsert({ phone: refused.phone });
      await expect(messaging.transactional.send(refused)).rejects.toThrow(SendFailedError);
    }),
  ),

  contractCase(
    statements.quotaThenCredits,
    async ({ messaging }) => {
      await messaging.contacts.upsert({ phone });
      for (let sent = 0; sent < 3; sent += 1) {
        expect(await messaging.transactional.send(message)).toMatchObject({ success: true });
      }
      await expect(messaging.transactional.send(message)).rejects.toThrow(QuotaExceededError);
    },
    { quota: 2, addOnCredits: 1 },
  ),

  contractCase(
    statements.quotaHolds,
    async ({ call, messaging }) => {
      await messaging.contacts.upsert({ phone });
      const sends = Array.from({ length: 8 }, () => call('POST', '/v1/transactional', message));
      const statuses = (await Promise.all(sends)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 200, 200, 402, 402, 402, 402, 402]);
    },
    { quota: 2, addOnCredits: 1 },
  ),
];
