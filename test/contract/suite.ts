import { describe, test } from 'vitest';
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
import type { CreateWorld } from './world.js';

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
}
