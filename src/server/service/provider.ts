/** A template message to a contact. */
export interface ProviderMessage {
  readonly phone: string;
  readonly templateId: string;
  readonly text: string;
}

/** The chat-messaging provider behind the sends. Returns the reason if it rejects the message. */
export type Provider = (message: ProviderMessage) => Promise<string | undefined>;

/**
 * Phone numbers that the simulated provider rejects, each with its reason. A send to such a number gets 422 `send_failed` with
 * the reason. The numbers are in a range that is reserved for fiction, so no person has them: +15005550101 to +15005550109.
 *
 * @example
 * ```ts
 * import { rejectedPhones } from 'messaging-automation/server';
 *
 * for (const [phone, reason] of Object.entries(rejectedPhones)) console.log(phone, reason);
 * ```
 */
export const rejectedPhones: Readonly<Record<string, string>> = Object.freeze({
  '+15005550101': 'the number is not registered with the chat provider',
  '+15005550102': 'the provider is not available',
  '+15005550103': "the provider's rate limit for this number is exceeded",
  '+15005550104': 'the contact has blocked the business at the provider',
  '+15005550105': 'the contact has opted out of these messages at the provider',
  '+15005550106': 'the provider has paused the template',
  '+15005550107': 'the provider does not deliver to the country of this number',
  '+15005550108': "the business's account at the provider is restricted",
  '+15005550109': 'the provider did not respond in time',
});

/** A provider that accepts every message except those to `rejectedPhones`, and sends nothing. */
export const simulatedProvider: Provider = async ({ phone }) => rejectedPhones[phone];
