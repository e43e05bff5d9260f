/**
 * A reference server that implements the whole service, for tests and for development. {@link createReferenceServer} creates it.
 * You control its clock, write as a contact, inject faults, and read everything that happened.
 *
 * ```ts
 * import assert from 'node:assert/strict';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({
 *   clock: 'frozen',
 *   templates: [{ id: 'how_was_it', body: 'How was your order?' }],
 *   journeys: [{ id: 'follow_up', event: 'order_placed', steps: [{ wait: '1d' }, { send: 'how_was_it' }] }],
 * });
 *
 * const ada = server.contact('+15551234567');
 * const messaging = server.client; // or a client of your own: `await server.listen()` returns a `baseUrl`
 * await messaging.contacts.upsert({ phone: ada.phone });
 * await messaging.events.track({ event: 'order_placed', phone: ada.phone });
 *
 * await server.clock.advance('1d'); // takes no real time
 * const { text } = await ada.receives('how_was_it');
 * assert.equal(text, 'How was your order?');
 * ```
 *
 * Read on: [test your integration](../../docs/guides/test-your-integration.md),
 * [segments and journeys](../../docs/guides/segments-and-journeys.md),
 * [simulate failures](../../docs/guides/simulate-failures.md), [share one service](../../docs/guides/share-one-service.md).
 *
 * @module messaging-automation/server
 */

export type { OperationName } from '../contract/operation-name.js';
export { ConfigurationError, type FieldProblem } from '../foundation/options.js';
export { faultHeader } from './faults/request-faults.js';
export type { FaultState } from './faults/workspace-faults.js';
export type {
  DeliveryFault,
  DeliveryFaultRule,
  FaultRule,
  FaultSelection,
  RequestFault,
} from './model/fault.js';
export type { Delivery, EntryOf, JournalEntry, RequestEntry } from './model/journal-entry.js';
export { journalEntryTypes } from './model/journal-entry.js';
export type { ListenerAttempt, ListenerResponse } from './model/listener.js';
export type { ServerLog, ServerLogEntry } from './model/log.js';
export type { Page } from './model/page.js';
export type {
  ContactRecord,
  DeliveryRecord,
  EventRecord,
  JourneyRunRecord,
  PropertyCondition,
  SendRecord,
  VariableSource,
} from './model/records.js';
export type { Remedy } from './model/remedy.js';
export { type SpecGaps, specGapChoices } from './model/spec-gaps.js';
export type { ReferenceServerOptions } from './options.js';
export {
  createReferenceServer,
  createTypedReferenceServer,
  type ReferenceServer,
} from './reference-server.js';
export type { JourneySeed, JourneyStepSeed } from './seed/journey-seed.js';
export { parseWorkspaceSeed } from './seed/parse-seed.js';
export type { SegmentSeed } from './seed/segment-seed.js';
export type { TemplateSeed, WorkspaceSeed } from './seed/workspace-seed.js';
export type { ReceiverAddresses } from './service/address-policy.js';
export { rejectedPhones } from './service/provider.js';
export type { ManagedWebhookSeed } from './service/subscriptions.js';
export { type KeepOnFailureOptions, keepOnFailure } from './state/keep-on-failure.js';
export type { ServerState } from './state/server-state.js';
export { parseServerState } from './state/server-state.js';
export type { ServerStore } from './store/shared-store.js';
export type { DeliveryExplanation } from './subjects/deliveries/explanation/explanation.js';
export type { Faults } from './subjects/faults.js';
export type { Journal } from './subjects/journal/journal.js';
export type { ListenerSeed } from './subjects/listeners.js';
export type { ReferenceWorkspace } from './subjects/reference-workspace.js';
export type { TestContact } from './subjects/test-contact/test-contact.js';
export { WaitTimeoutError } from './subjects/wait.js';
export type { WorkspaceSnapshot } from './subjects/workspace.js';
export type { Duration } from './time/duration.js';
export type { Instant } from './time/instant.js';
