import { describe } from 'vitest';
import { contactPromises } from './contacts.js';
import { deliveryPromises } from './deliveries.js';
import { eventPromises } from './events.js';
import { type CreateStore, endingWithTheTest, type OpenWorkspace, workspaceRecord } from './opening.js';
import { quotaPromises } from './quota.js';
import { workspacePromises } from './workspaces.js';

/** The promises of the `Store` port, as tests that any implementation can be run through. */
export function describeStore(name: string, createStore: CreateStore): void {
  const create = endingWithTheTest(createStore);
  const open: OpenWorkspace = async (record) => (await create()).createWorkspace(workspaceRecord(record));

  describe(`the promises of a store, kept by ${name}`, () => {
    workspacePromises(create);
    contactPromises(open);
    quotaPromises(open);
    eventPromises(open);
    deliveryPromises(open);
  });
}
