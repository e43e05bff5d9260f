import type { MessagingAutomation } from 'messaging-automation';
import type { SpecGaps } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { operationCases } from '../operations/cases.js';
import { madeUp, type Sample } from '../operations/operation-case.js';
import { accessCases } from './cases/access.js';
import { contactCases } from './cases/contacts.js';
import { deliveryCases } from './cases/deliveries.js';
import { eventCases } from './cases/events.js';
import { resourceCases } from './cases/resources.js';
import { retryCases } from './cases/retries.js';
import { signatureCases } from './cases/signatures.js';
import { templateCases } from './cases/templates.js';
import { sendLimitCases, transactionalCases } from './cases/transactional.js';
import { webhookCases } from './cases/webhooks.js';
import { type ContractCase, fixturesOf } from './contract-case.js';
import { differenceOf } from './differences.js';
import { approvedTemplate, type CreateEnvironment, type Environment } from './environment.js';

/** Every testable statement of the document, in its order. */
export const contractCases: readonly ContractCase[] = [
  ...resourceCases,
  ...contactCases,
  ...transactionalCases,
  ...eventCases,
  ...webhookCases,
  ...templateCases,
  ...accessCases,
  ...deliveryCases,
  ...signatureCases,
  ...sendLimitCases,
  ...retryCases,
];

/** Tests every case in a fresh environment of one kind. With `specGaps`, some cases are to fail as `differences` says. */
export function describeContract(
  name: string,
  createEnvironment: CreateEnvironment,
  specGaps: Partial<SpecGaps> = {},
): void {
  describe(`the contract, ${name}`, () => {
    for (const { name: statement, run, options } of contractCases) {
      test(statement, async () => {
        const environment = await createEnvironment(options);
        const difference = differenceOf(specGaps, statement);
        try {
          const outcome = run(fixturesOf(environment));
          if (difference === undefined) await outcome;
          else await expect(outcome, difference.why).rejects.toThrow(difference.failure);
        } finally {
          await environment.close();
        }
      });
    }
  });
}

/** Tests that each endpoint responds what the client asks in a fresh environment of one kind. */
export function describeEndpoints(name: string, createEnvironment: CreateEnvironment): void {
  describe(`each endpoint responds to the client, ${name}`, () => {
    for (const [operation, { call }] of operationCases) {
      test(operation, async () => {
        const environment = await createEnvironment({});
        try {
          const { messaging } = fixturesOf(environment);
          const { response } = await call(messaging, await sampleIn(messaging, environment)).withResponse();
          expect(response.status).toBeLessThan(300);
        } finally {
          await environment.close();
        }
      });
    }
  });
}

/** Gives the workspace what the calls name. */
async function sampleIn(messaging: MessagingAutomation, environment: Environment): Promise<Sample> {
  const { phone } = madeUp;
  const { url: receiverUrl } = environment.receiver;
  const { id: contactId } = await messaging.contacts.upsert({ phone });
  const { id: subscriptionId } = await messaging.webhooks.create({
    url: receiverUrl,
    events: ['message.received'],
  });
  return { phone, contactId, subscriptionId, templateId: approvedTemplate, receiverUrl };
}
