import { fromBase64, fromUtf8 } from '../crypto/bytes.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { WebhookFault } from './finding.js';

/** Another key than the given secret, and the fault that would explain it. */
export interface KeyVariant {
  readonly key: WebhookSecret;
  readonly fault: WebhookFault;
}

const prefix = 'whsec_';
/** No secret is longer. Longer text is not analyzed. */
const longestSecret = 1024;

/** The keys that a sender may have used instead of this secret. */
export function keyVariants(secret: WebhookSecret): readonly KeyVariant[] {
  if (typeof secret !== 'string' || secret.length > longestSecret) return [];
  return [...variantsOf(secret)].filter(({ key }) => key.length > 0 && key !== secret);
}

function* variantsOf(secret: string): Generator<KeyVariant> {
  // A newline from a file, an escaped newline from a .env file, and invisible characters of copied text.
  const trimmed = secret.replace(/^[\s\u200b-\u200d\u2060]+|(?:\\[rn]|[\s\u200b-\u200d\u2060])+$/g, '');
  yield { key: trimmed, fault: 'secret_white_space' };
  const unquoted = trimmed.replace(/^(["'`])(.*)\1$/s, '$2').trim();
  const whole = unquoted.slice(Math.max(0, unquoted.lastIndexOf(prefix)));
  if (whole !== trimmed) yield { key: whole, fault: 'secret_quoted' };

  const hasPrefix = whole.startsWith(prefix);
  const bare = hasPrefix ? whole.slice(prefix.length) : whole;
  if (hasPrefix) yield { key: bare, fault: 'signed_otherwise' };
  else yield { key: prefix + bare, fault: 'secret_prefix_missing' };
  const decoded = fromBase64(bare);
  if (decoded === undefined) return;
  const text = fromUtf8(decoded)?.trim();
  if (text?.startsWith(prefix)) yield { key: text, fault: 'secret_encoded' };
  else yield { key: decoded, fault: 'signed_otherwise' };
}
