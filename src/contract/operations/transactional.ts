import { errorsOfBodies } from '../error.js';
import { operation } from '../operation.js';
import { type SendInput, type SendResult, sendResultSchema, sendSchema } from '../transactional.js';

/** The operations of /v1/transactional. */
export const transactionalOperations = {
  send: operation<{ body: SendInput }, SendResult, 'sent'>({
    name: 'transactional.send',
    method: 'POST',
    path: '/v1/transactional',
    request: { body: sendSchema },
    successes: { sent: 200 },
    result: {
      kind: 'record',
      schema: sendResultSchema,
      envelopes: ['data'],
      mayBeAbsent: false,
      confirmedBy: 'success',
    },
    notShown: [],
    errors: [
      {
        code: 'quota_exceeded',
        condition: "The plan's conversation quota and add-on credits are exhausted.",
        shown: 'status and code',
      },
      { code: 'not_found', condition: 'No contact has the given phone.', shown: 'status and code' },
      {
        code: 'send_failed',
        condition: 'The provider rejected the send: template not approved, bad variables, or provider issue.',
        shown: 'status and code',
      },
      ...errorsOfBodies,
    ],
    repeatable: false, // a second send is a second message, and a second conversation off the quota
  }),
};

/** One sentence about each operation. */
export const transactionalSummaries: Readonly<Record<keyof typeof transactionalOperations, string>> = {
  send: 'Sends an approved template message to one existing contact. Counts against the quota.',
};

/** What the service's document states about these operations. */
export const transactionalStatements = {
  sendSucceeds: '§4 POST /v1/transactional: 200 with success true',
  sendOverQuota: '§4 POST /v1/transactional: 402 quota_exceeded',
  sendToNobody: '§4 POST /v1/transactional: 404 not_found for a phone that no contact has',
  sendRejected: '§4 POST /v1/transactional: 422 send_failed',
} as const;
