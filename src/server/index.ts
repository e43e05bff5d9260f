export type { ServerClock } from './control/clock.js';
export type { Duration } from './control/duration.js';
export type { ListenOptions } from './http/listener.js';
export type { ServerLog, ServerLogEntry } from './log.js';
export type { ReferenceServerOptions } from './options.js';
export { rejectedPhones } from './provider/simulated.js';
export { createReferenceServer, type ReferenceServer } from './reference-server.js';
export { parseWorkspaceSeed } from './seed.js';
export type { InboundMessage } from './service/inbound-message.js';
export type { InboundMessageResult } from './service/inbound-messages.js';
export type {
  AttemptRecord,
  Consent,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  QuotaSource,
  SendRecord,
} from './store/records.js';
export type { Journal, ReferenceWorkspace, Simulation } from './workspace.js';
export type { SegmentSeed, TemplateSeed, TemplateStatus, WorkspaceSeed } from './workspace-seed.js';
