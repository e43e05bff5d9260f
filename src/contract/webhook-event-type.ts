/** The event types of webhook subscriptions. `webhook-events.ts` says what each of them has. */
export const webhookEventTypes = [
  'message.received',
  'contact.opted_in',
  'contact.opted_out',
] as const satisfies WebhookEventType[];

/** An event type of webhook subscriptions. */
export type WebhookEventType = 'message.received' | 'contact.opted_in' | 'contact.opted_out';
