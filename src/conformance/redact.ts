import { maskPhone } from '../contract/phone.js';
import { secretPrefix } from '../contract/subscription.js';

const signingSecret = new RegExp(`${secretPrefix}[^\\s"'<>]+`, 'g');
const phone = /\+?\d{7,}/g;

/** Takes these keys and secrets out of a text, and whatever looks like a signing secret or a phone number. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    let redacted = text;
    for (const secret of secrets) redacted = redacted.replaceAll(secret, '***');
    return redacted.replace(signingSecret, `${secretPrefix}***`).replace(phone, maskPhone);
  };
}
