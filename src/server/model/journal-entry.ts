import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { Delivery } from './delivery.js';
import type { DeliveryFault, RequestFault } from './fault.js';
import type { AttemptRecord, Consent, EventRecord, JourneyRunRecord, SendRecord } from './records.js';

interface Stamped {
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly at: number;
}

/**
 * An API request that has the workspace's key, and its response.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type RequestEntry } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * const requests: readonly RequestEntry[] = await server.journal.find('request');
 * console.log(requests.map(({ operation, status }) => [operation, status])); // [['contacts.upsert', 201]]
 * ```
 */
export interface RequestEntry extends Stamped {
  readonly type: 'request';
  /** The response header `X-Request-Id`. */
  readonly requestId: string;
  /** The operation of the contract, such as `contacts.upsert`. */
  readonly operation: string;
  readonly method: string;
  /** The path and query of the request. */
  readonly path: string;
  /** The raw request body, if the server read one. */
  readonly body?: Bytes;
  /** The response status. Absent if a fault broke the connection instead. */
  readonly status?: number;
  /** The response body, if there is one. */
  readonly answer?: string;
  /** The injected faults, if any. */
  readonly faults?: readonly RequestFault[];
}

/**
 * A fault that strikes a request. The entry of the request follows when the request ends.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type RequestFaultEntry } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ faults: [{ operation: 'any', fault: { kind: 'malformed_json' } }] });
 * await server.client.contacts.find('+15551234567').catch((error) => console.log(error.name)); // NotFoundError
 * const faults = await server.journal.find('fault');
 * const ofRequests = faults.filter((entry): entry is RequestFaultEntry => 'requestId' in entry);
 * console.log(ofRequests[0]?.operation, ofRequests[0]?.fault.kind); // contacts.find malformed_json
 * ```
 */
export interface RequestFaultEntry extends Stamped {
  readonly type: 'fault';
  readonly fault: RequestFault;
  /** The operation of the contract, such as `contacts.upsert`. */
  readonly operation: string;
  readonly requestId: string;
}

/**
 * A fault that strikes a delivery attempt. The entry of the attempt follows when the attempt ends.
 *
 * @example
 * ```ts
 * import type { DeliveryFaultEntry } from 'messaging-automation/server';
 *
 * const describe = ({ event, fault }: DeliveryFaultEntry) => `${fault.kind} of a ${event}`;
 * ```
 */
export interface DeliveryFaultEntry extends Stamped {
  readonly type: 'fault';
  readonly fault: DeliveryFault;
  readonly event: WebhookEventType;
  readonly deliveryId: string;
}

/**
 * A sent template message.
 *
 * @example
 * ```ts
 * import type { SendEntry } from 'messaging-automation/server';
 *
 * const describe = ({ send }: SendEntry) => `${send.templateId}: ${send.text}`;
 * ```
 */
export interface SendEntry extends Stamped {
  readonly type: 'send';
  readonly send: SendRecord;
  /** The API request that sent it. Absent if a journey did: see `send.journeyRunId`. */
  readonly requestId?: string;
}

/**
 * An accepted tracked event.
 *
 * @example
 * ```ts
 * import type { EventEntry } from 'messaging-automation/server';
 *
 * const describe = ({ event }: EventEntry) => `${event.event} of ${event.contactId}`;
 * ```
 */
export interface EventEntry extends Stamped {
  readonly type: 'event';
  readonly event: EventRecord;
  /** The contact's phone. */
  readonly phone: string;
  /** The API request that tracked it. */
  readonly requestId?: string;
}

/**
 * A message that a contact sent to the workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type MessageEntry } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'START' });
 * const messages: readonly MessageEntry[] = await server.journal.find('message');
 * console.log(messages.map(({ body, consent }) => [body, consent])); // [['START', 'opted_in']]
 * ```
 */
export interface MessageEntry extends Stamped {
  readonly type: 'message';
  readonly messageId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly body: string;
  /** The contact's new consent, if the message changed it. */
  readonly consent?: Consent;
}

/**
 * An attempt of a webhook delivery, and the state of the delivery after it.
 *
 * @example
 * ```ts
 * import type { AttemptEntry } from 'messaging-automation/server';
 *
 * const failed = ({ attempt, delivery }: AttemptEntry) => attempt.error !== undefined && delivery.status === 'failed';
 * ```
 */
export interface AttemptEntry extends Stamped {
  readonly type: 'attempt';
  readonly delivery: Delivery;
  readonly attempt: AttemptRecord;
}

/**
 * A journey run that began, took a step, or ended.
 *
 * @example
 * ```ts
 * import type { JourneyEntry } from 'messaging-automation/server';
 *
 * const describe = ({ run }: JourneyEntry) => `${run.journeyId} of ${run.contactId}: ${run.status}`;
 * ```
 */
export interface JourneyEntry extends Stamped {
  readonly type: 'journey';
  readonly run: JourneyRunRecord;
}

/**
 * One entry of the journal: something that happened in a workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type JournalEntry } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * const entries: readonly JournalEntry[] = await server.journal.entries();
 * console.log(entries.map(({ type }) => type)); // ['message']
 * ```
 */
export type JournalEntry =
  | RequestEntry
  | RequestFaultEntry
  | SendEntry
  | EventEntry
  | MessageEntry
  | AttemptEntry
  | DeliveryFaultEntry
  | JourneyEntry;

/**
 * The entries of one type.
 *
 * @example
 * ```ts
 * import type { EntryOf } from 'messaging-automation/server';
 *
 * const textOf = ({ send }: EntryOf<'send'>) => send.text;
 * ```
 */
export type EntryOf<Type extends JournalEntry['type']> = Extract<JournalEntry, { readonly type: Type }>;

/**
 * The types of journal entries.
 *
 * @example
 * ```ts
 * import { journalEntryTypes } from 'messaging-automation/server';
 *
 * console.log(journalEntryTypes.includes('attempt')); // true
 * ```
 */
export const journalEntryTypes = [
  'request',
  'fault',
  'send',
  'event',
  'message',
  'attempt',
  'journey',
] as const satisfies readonly JournalEntry['type'][];
