import { type ApiError, NotFoundError, QuotaExceededError, SendFailedError } from 'messaging-automation';
import { expect } from 'vitest';
import { type Statement, statements } from '../../../src/contract/statements.js';
import { type ContractCase, contractCase, phone } from '../contract-case.js';
import {
  approvedTemplate,
  type EnvironmentOptions,
  unapprovedTemplate,
  undeliverablePhone,
} from '../environment.js';

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

  refusedSend(statements.sendOverQuota, 402, 'quota_exceeded', QuotaExceededError, message, { quota: 0 }),
  refusedSend(statements.sendToNobody, 404, 'not_found', NotFoundError, {
    ...message,
    phone: '+442071838750',
  }),
  refusedSend(statements.sendRejected, 422, 'send_failed', SendFailedError, {
    ...message,
    templateId: unapprovedTemplate,
  }),
];

/** A send that is refused with this status and code, as the client's error says, too. One contact has a phone. */
function refusedSend(
  statement: Statement,
  status: number,
  code: string,
  error: typeof ApiError,
  refused: typeof message,
  options?: EnvironmentOptions,
) {
  const run: ContractCase['run'] = async ({ call, messaging }) => {
    await messaging.contacts.upsert({ phone });
    const response = await call('POST', '/v1/transactional', refused);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(`"${code}"`);
    const refusal = messaging.transactional.send(refused);
    await expect(refusal).rejects.toThrow(error);
    await expect(refusal).rejects.toMatchObject({ status, code });
  };
  return contractCase(statement, run, options);
}

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
