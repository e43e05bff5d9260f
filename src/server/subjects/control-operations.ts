import { clockOperations } from './clock.js';
import { contactsOperations } from './contacts.js';
import { deliveriesOperations } from './deliveries/deliveries.js';
import { eventsOperations } from './events.js';
import { faultsOperations } from './faults.js';
import { journalOperations } from './journal/journal.js';
import { journeysOperations } from './journeys.js';
import { keysOperations } from './keys.js';
import { listenersOperations } from './listeners.js';
import { managedWebhooksOperations } from './managed-webhooks.js';
import type { AnyControlOperation } from './operation.js';
import { quotaOperations } from './quota.js';
import { receiverOperations } from './receiver.js';
import { segmentsOperations } from './segments.js';
import { sendsOperations } from './sends.js';
import * as shapes from './shapes.js';
import { simulateOperations } from './simulate.js';
import { specGapsOperations } from './spec-gaps.js';
import { subscriptionsOperations } from './subscriptions.js';
import { surfaceOperations } from './surface.js';
import { templatesOperations } from './templates.js';
import { workspaceOperations } from './workspace.js';
import { workspacesOperations } from './workspaces.js';

/**
 * The table of the control surface: the operations of each subject. The routes, the checks, the index, the OpenAPI document, the guide, the
 * commands and the tools for agents read it. A server loads it with the first request under /control.
 */
export const controlOperations = {
  surface: surfaceOperations(),
  simulate: simulateOperations(shapes),
  sends: sendsOperations(shapes),
  events: eventsOperations(shapes),
  deliveries: deliveriesOperations(shapes),
  journal: journalOperations(shapes),
  contacts: contactsOperations(shapes),
  quota: quotaOperations(shapes),
  templates: templatesOperations(shapes),
  segments: segmentsOperations(shapes),
  journeys: journeysOperations(shapes),
  specGaps: specGapsOperations(),
  faults: faultsOperations(shapes),
  clock: clockOperations(shapes),
  keys: keysOperations(shapes),
  managedWebhooks: managedWebhooksOperations(shapes),
  subscriptions: subscriptionsOperations(shapes),
  receiver: receiverOperations(shapes),
  listeners: listenersOperations(shapes),
  workspace: workspaceOperations(shapes),
  workspaces: workspacesOperations(shapes),
};

/** The operations that require no key. */
export const openControlOperations: ReadonlySet<string> = new Set(
  Object.values(controlOperations.surface).map(({ name }) => name),
);

/** Every operation, in the order of the table. */
export const controlOperationList: readonly AnyControlOperation[] = Object.values(controlOperations).flatMap(
  (subject) => Object.values<AnyControlOperation>(subject),
);
