import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { ChangeEntry, MessageEntry, RequestEntry } from '../model/journal-entry.js';

/**
 * A request, a message of a contact, a change of the workspace, or a redelivery: what a program does itself. Everything else follows from
 * it. Acts have the order of their numbers. What a program does first, to prepare, has a number below 1.
 */
export type Act = (RequestEntry | MessageEntry | ChangeEntry | Redelivery) & { readonly number: number };

export interface Redelivery {
  readonly type: 'redelivery';
  readonly at: number;
  /** The delivery that was sent again. */
  readonly deliveryId: string;
  readonly event: WebhookEventType;
  readonly subscriptionId: string;
}

/** Returns the first argument of a change, if it is an object. */
export function firstOf({ arguments: given }: ChangeEntry): Readonly<Record<string, unknown>> {
  return Object(given?.[0]);
}
