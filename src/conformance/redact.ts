import { maskPhone } from '../contract/phone.js';
import { secretPrefix } from '../contract/subscription.js';

const signingSecret = new RegExp(`${secretPrefix}[^\\s"'<>]+`, 'g');
/** Digits that stand alone; those within an id are none of a phone's. */
const phone = /(?<!\w)\+?\d{7,}(?!\w)/g;

/** Takes these keys and phones out of a text, and whatever looks like a signing secret or a phone number. */
export function redactor(keys: readonly string[], phones: () => Iterable<string>): (text: string) => string {
  // Longest first, so that no key is cut by another that it begins with.
  const byLength = [...keys].sort((one, other) => other.length - one.length);
  return (text) => {
    let redacted = text;
    for (const key of byLength) redacted = redacted.replaceAll(key, '***');
    for (const known of phones())
      redacted = redacted.replaceAll(known.replace('+', ''), maskPhone(known.slice(1)));
    return redacted.replace(signingSecret, `${secretPrefix}***`).replace(phone, maskPhone);
  };
}
