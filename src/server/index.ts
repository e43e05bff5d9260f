export type { ServerClock } from './control/clock.js';
export type { Duration } from './control/duration.js';
export type { Instant } from './control/instant.js';
export type { ReceiverAddresses } from './deliveries/address-policy.js';
export type { Drift } from './faults/drift.js';
export type {
  DeliveryFault,
  DeliveryFaultMoment,
  RequestFault,
  RequestFaultMoment,
} from './faults/fault.js';
export type { DeliveryFaultRule, FaultRule, FaultSelection, RequestFaultRule } from './faults/fault-rule.js';
export type { FaultState, Faults } from './faults/faults.js';
export type { JsonValue } from './faults/json-value.js';
export type { OperationName } from './faults/operation-name.js';
export { faultHeader } from './faults/request-faults.js';
export type { ListenOptions } from './http/listener.js';
export type { DeliveryFilter, WorkspaceDeliveries } from './journal/deliveries.js';
export type {
  AttemptEntry,
  DeliveryFaultEntry,
  EntryOf,
  EventEntry,
  JournalEntry,
  JourneyEntry,
  MessageEntry,
  RequestEntry,
  RequestFaultEntry,
  SendEntry,
} from './journal/entry.js';
export type { EventFilter, WorkspaceEvents } from './journal/events.js';
export type { Journal } from './journal/journal.js';
export type { SendFilter, WorkspaceSends } from './journal/sends.js';
export { type WaitOptions, WaitTimeoutError } from './journal/wait.js';
export type { ServerLog, ServerLogEntry } from './log.js';
export type { ReferenceServerOptions } from './options.js';
export { rejectedPhones } from './provider/simulated.js';
export { createReferenceServer, type ReferenceServer } from './reference-server.js';
export type { JourneySeed, JourneyStepSeed, VariableSource } from './seed/journey-seed.js';
export type { ManagedWebhookSeed } from './seed/managed-webhook-seed.js';
export { parseWorkspaceSeed } from './seed/parse-seed.js';
export type { PropertyCondition } from './seed/property-condition.js';
export type { SegmentSeed } from './seed/segment-seed.js';
export type { SpecGaps } from './seed/spec-gaps.js';
export type { TemplateSeed, TemplateStatus, WorkspaceSeed } from './seed/workspace-seed.js';
export type { InboundMessage } from './service/inbound-message.js';
export type { InboundMessageResult } from './service/inbound-messages.js';
export type { WorkspaceSnapshot } from './snapshot/workspace-snapshot.js';
export type {
  AttemptRecord,
  Consent,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  JourneyRunRecord,
  JourneyRunStatus,
  QuotaSource,
  SendRecord,
} from './store/records.js';
export type { WorkspaceKeys } from './workspace/api-keys.js';
export type { ManagedWebhooks } from './workspace/managed-webhooks.js';
export type { Simulation } from './workspace/simulation.js';
export type { ReferenceWorkspace } from './workspace/workspace.js';
