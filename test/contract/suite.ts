import type { MessagingAutomation } from 'messaging-automation';
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
import { type ContractCase, handsOn } from './contract-case.js';
import { approvedTemplate, type CreateWorld, type World } from './world.js';

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

/** Runs every case in a fresh world of one kind. */
export function describeContract(createWorld: CreateWorld): void {
  describe('the contract', () => {
    for (const { name, run, options } of contractCases) {
      test(name, async () => {
        const world = await createWorld(options);
        try {
          await run(handsOn(world));
        } finally {
          await world.close();
        }
      });
    }
  });

  describe('each endpoint gives what it is asked for', () => {
    for (const [name, { call }] of operationCases) {
      test(name, async () => {
        const world = await createWorld({});
        try {
          const { messaging } = handsOn(world);
          const { response } = await call(messaging, await sampleIn(messaging, world)).withResponse();
          expect(response.status).toBeLessThan(300);
        } finally {
          await world.close();
        }
      });
    }
  });
}

/** Gives the workspace what the calls name. */
async function sampleIn(messaging: MessagingAutomation, world: World): Promise<Sample> {
  const { phone } = madeUp;
  const { url: receiverUrl } = world.receiver;
  const { id: contactId } = await messaging.contacts.upsert({ phone });
  const { id: subscriptionId } = await messaging.webhooks.create({
    url: receiverUrl,
    events: ['message.received'],
  });
  return { phone, contactId, subscriptionId, templateId: approvedTemplate, receiverUrl };
}
