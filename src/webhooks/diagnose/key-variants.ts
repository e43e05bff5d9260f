import { toHex } from '../crypto/bytes.js';
import type { WebhookSecret } from '../verification/secret.js';
import { fromBase64, fromHex, fromUtf8, toBase64 } from './encodings.js';
import type { WebhookFault } from './finding.js';

/** Another key than the given secret, and the fault that would explain it. */
export interface KeyVariant {
  readonly key: WebhookSecret;
  readonly fault: WebhookFault;
}

const prefix = 'whsec_';
/** No secret is longer. Longer text is not analyzed. */
const longestSecret = 1024;
const mostSecretsInOne = 8;

/** The keys that a sender may have used instead of this secret. */
export function keyVariants(secret: WebhookSecret): readonly KeyVariant[] {
  if (secret.length > longestSecret) return [];
  const variants = typeof secret === 'string' ? [...variantsOfText(secret)] : [...variantsOfBytes(secret)];
  return variants.filter(({ key }) => key.length > 0 && key !== secret);
}

function* variantsOfText(secret: string): Generator<KeyVariant> {
  // A newline from a file, an escaped newline from a .env file, and invisible characters of copied text.
  const trimmed = secret.replace(/^[\s\u200b-\u200d\u2060]+|(?:\\[rn]|[\s\u200b-\u200d\u2060])+$/g, '');
  yield { key: trimmed, fault: 'secret_white_space' };
  const unquoted = trimmed.replace(/^(["'`])(.*)\1$/s, '$2').trim();
  if (unquoted !== trimmed) yield { key: unquoted, fault: 'secret_quoted' };

  const before = unquoted.slice(0, Math.max(0, unquoted.lastIndexOf(prefix)));
  if (before !== '' && (before === prefix || !before.includes(prefix))) {
    yield { key: unquoted.slice(before.length), fault: 'secret_preceded' };
  }
  const parts = unquoted.split(/[\s,;|]+/, mostSecretsInOne);
  if (parts.length > 1) for (const key of parts) yield { key, fault: 'secret_list' };

  if (!unquoted.startsWith(prefix)) yield { key: prefix + unquoted, fault: 'secret_prefix_missing' };
  const bare = unquoted.startsWith(prefix) ? unquoted.slice(prefix.length) : unquoted;
  if (bare !== unquoted) yield { key: bare, fault: 'signed_without_prefix' };
  for (const key of [fromBase64(bare), fromHex(bare)]) {
    if (key === undefined) continue;
    const text = fromUtf8(key)?.trim();
    if (text?.startsWith(prefix)) yield { key: text, fault: 'secret_encoded' };
    else yield { key, fault: 'signed_with_decoded_secret' };
  }
}

function* variantsOfBytes(secret: Uint8Array): Generator<KeyVariant> {
  for (const text of [toBase64(secret), toHex(secret)]) {
    yield { key: prefix + text, fault: 'secret_decoded' };
    yield { key: text, fault: 'secret_decoded' };
  }
}
