import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { DeliveryFault, RequestFault } from './fault.js';
import type {
  AttemptRecord,
  Consent,
  DeliveryRecord,
  EventRecord,
  JourneyRunRecord,
  SendRecord,
} from './records.js';

/** How much of a receiver's response the server reads and keeps. In bytes. */
export const responseLimit = 4096;

/**
 * A delivery with its body as text, so that a test runner can print it. `body` has the exact bytes. It is not enumerable, so
 * that test runners do not print it.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type Delivery } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const deliveries: readonly Delivery[] = await server.journal.deliveries();
 * for (const { bodyText, status } of deliveries) console.log(status, bodyText);
 * ```
 */
export interface Delivery extends DeliveryRecord {
  /** The body as text. */
  readonly bodyText: string;
}

const utf8 = new TextDecoder();

/** Adds the body as text, and makes the bytes non-enumerable. */
export function readable({ body, ...delivery }: DeliveryRecord): Delivery {
  const bytes: Pick<DeliveryRecord, 'body'> = Object.defineProperty({ body }, 'body', { enumerable: false });
  return Object.assign(bytes, delivery, { bodyText: utf8.decode(body) });
}

type Stamped = {
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly at: number;
};

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
  /**
   * The headers of the request, as they came: the first of them, up to 2,048 characters. The values of `Authorization` and of other headers
   * that may hold a key are masked.
   */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The raw request body, if the server read one. */
  readonly body?: Bytes;
  /** The response status. Absent if a fault broke the connection before the response. */
  readonly status?: number;
  /** The headers of the response, beside `X-Request-Id`. */
  readonly responseHeaders?: readonly (readonly [name: string, value: string])[];
  /** The response body, if there is one. Its signing secrets are masked. */
  readonly responseBody?: string;
  /** The injected faults, if any. */
  readonly faults?: readonly RequestFault[];
}

/**
 * A fault that was injected into a request. The entry of the request follows when the request ends.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ faults: [{ operation: 'any', fault: { kind: 'malformed_json' } }] });
 * await server.client.contacts.find('+15551234567').catch((error) => console.log(error.name)); // NotFoundError
 * const faults = await server.journal.find('fault');
 * const ofRequests = faults.filter((entry) => 'requestId' in entry);
 * console.log(ofRequests[0]?.operation, ofRequests[0]?.fault.kind); // contacts.find malformed_json
 * ```
 */
export type RequestFaultEntry = Stamped & {
  readonly type: 'fault';
  readonly fault: RequestFault;
  /** The operation of the contract, such as `contacts.upsert`. */
  readonly operation: string;
  readonly requestId: string;
};

/** A fault that was injected into a delivery attempt. The entry of the attempt follows when the attempt ends. */
export type DeliveryFaultEntry = Stamped & {
  readonly type: 'fault';
  readonly fault: DeliveryFault;
  readonly event: WebhookEventType;
  readonly deliveryId: string;
};

/** A sent template message. */
export type SendEntry = Stamped & {
  readonly type: 'send';
  readonly send: SendRecord;
  /** The id of the API request that sent it. Absent if a journey sent it: see `send.journeyRunId`. */
  readonly requestId?: string;
};

/** An accepted tracked event. */
export type EventEntry = Stamped & {
  readonly type: 'event';
  readonly event: EventRecord;
  /** The contact's phone. */
  readonly phone: string;
  /** The id of the API request that tracked it. */
  readonly requestId?: string;
};

/** A message that a contact sent to the workspace. */
export type MessageEntry = Stamped & {
  readonly type: 'message';
  readonly messageId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly body: string;
  /** The contact's new consent, if the message changed it. */
  readonly consent?: Consent;
};

/** An attempt of a webhook delivery, and the state of the delivery after it. */
export type AttemptEntry = Stamped & {
  readonly type: 'attempt';
  readonly delivery: Delivery;
  readonly attempt: AttemptRecord;
};

/** A journey run that began, took a step, or ended. */
export type JourneyEntry = Stamped & {
  readonly type: 'journey';
  readonly run: JourneyRunRecord;
};

/** The calls that change a workspace, by the name of the call in a program. */
export const changeOperations = [
  'quota.set',
  'templates.put',
  'templates.update',
  'templates.remove',
  'segments.put',
  'segments.remove',
  'journeys.put',
  'journeys.remove',
  'specGaps.set',
  'faults.add',
  'faults.clear',
  'faults.remove',
  'clock.advance',
  'clock.set',
  'clock.runToIdle',
  'clock.advanceToNext',
  'clock.freeze',
  'clock.flow',
  'keys.issue',
  'keys.rotate',
  'keys.revoke',
  'managedWebhooks.create',
  'subscriptions.remove',
  'receiver.set',
  'listeners.create',
  'listeners.remove',
  'restore',
] as const;

/** The name of a call that changes a workspace, in a program and on the control surface. */
export type ChangeOperation = (typeof changeOperations)[number];

/**
 * A change of the workspace by a program, a person or a command: of its quota, templates, clock, faults, subscriptions and so on.
 * A change has an entry whether it was made in a program or over `/control`. A reset has none, because it removes the journal.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ quota: 0 });
 * await server.quota.set({ quota: 100 });
 * const [change] = await server.journal.find('change');
 * console.log(change?.operation, change?.arguments); // quota.set [ { quota: 100 } ]
 * console.log(change?.before); // { quota: 0, addOnCredits: 0 }
 * ```
 */
export type ChangeEntry = Stamped & {
  readonly type: 'change';
  /** The name of the call, such as `quota.set`. */
  readonly operation: ChangeOperation;
  /**
   * The arguments of the call, as JSON. Signing secrets are masked. An API key is named by its id, `key_` and the first digits of
   * its digest. Absent if they take more than 64 KiB.
   */
  readonly arguments?: readonly unknown[];
  /** What the change replaced, as JSON, such as the template before. Null if there was nothing. Absent if it is not kept. */
  readonly before?: unknown;
  /** The id of what the call made, such as a fault rule or a subscription. */
  readonly created?: string;
};

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
  | JourneyEntry
  | ChangeEntry;

/**
 * The journal entry with a given `type`.
 *
 * @example
 * ```ts
 * import type { EntryOf } from 'messaging-automation/server';
 *
 * const textOf = ({ send }: EntryOf<'send'>) => send.text;
 * ```
 */
export type EntryOf<Type extends JournalEntry['type']> = Extract<JournalEntry, { readonly type: Type }>;

/** The types of journal entries. */
export const journalEntryTypes = [
  'request',
  'fault',
  'send',
  'event',
  'message',
  'attempt',
  'journey',
  'change',
] as const satisfies readonly JournalEntry['type'][];
