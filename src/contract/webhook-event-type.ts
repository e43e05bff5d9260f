/** §6: the event types that can be subscribed to. */
export const webhookEventTypes = [
  'message.received',
  'contact.opted_in',
  'contact.opted_out',
] as const satisfies WebhookEventType[];

/**
 * An event type that can be subscribed to (document §6).
 *
 * @example
 * ```ts
 * import type { WebhookEventType } from 'messaging-automation';
 *
 * const types: WebhookEventType[] = ['message.received', 'contact.opted_in', 'contact.opted_out'];
 * ```
 */
export type WebhookEventType = 'message.received' | 'contact.opted_in' | 'contact.opted_out';
