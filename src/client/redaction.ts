import { maskPhone } from '../contract/phone.js';
import { secretPrefix } from '../contract/subscription.js';

/** Takes keys, secrets and phone numbers out of a text that somebody else wrote. */
export type Redact = (text: string) => string;

/**
 * An IPv4 address with its port, to be kept, or else seven digits or more with what people put between them: a
 * phone number, or near enough.
 */
const addressOrPhone = /(\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?!\d))|\+?\d(?:[\s().-]{0,3}\d){6,}/g;
const signingSecret = new RegExp(`${secretPrefix}[^\\s"'<>]+`, 'g');

export function createRedactor(apiKey: string): Redact {
  return (text) =>
    text
      .replaceAll(apiKey, '***')
      .replace(signingSecret, `${secretPrefix}***`)
      .replace(addressOrPhone, (match: string, address: string | undefined) => address ?? maskPhone(match));
}
