import type { Provider, ProviderMessage, ProviderVerdict } from './provider.js';

/**
 * Phone numbers that the simulated provider rejects, and why. They lie in a range that is reserved for
 * fiction, so no person has them.
 *
 * @example
 * ```ts
 * import { rejectedPhones } from 'messaging-automation/server';
 *
 * for (const [phone, reason] of Object.entries(rejectedPhones)) console.log(phone, reason);
 * ```
 */
export const rejectedPhones: Readonly<Record<string, string>> = {
  '+15005550101': 'the number is not registered with the chat provider',
  '+15005550102': 'the provider is not available',
  '+15005550103': "the provider's rate limit for this number is exceeded",
};

/** A provider that accepts every message but those to `rejectedPhones`, and sends nothing to anyone. */
export const simulatedProvider: Provider = {
  async send(message: ProviderMessage): Promise<ProviderVerdict> {
    const reason = rejectedPhones[message.phone];
    return reason === undefined ? { accepted: true } : { accepted: false, reason };
  },
};
