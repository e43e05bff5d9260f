import { UsageError } from '../terminal/usage-error.js';

/** The URL of a receiver that a flag names. */
export function receiverUrl(flag: string, text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`${flag} must be a URL that begins with http:// or https://.`);
}
