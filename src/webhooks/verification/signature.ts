/**
 * The value of the `X-Service-Signature` header, as frameworks provide it: a string, null, undefined, or a list with one string. Several
 * values are ambiguous and refused.
 */
export type WebhookSignature = string | null | undefined | readonly string[];

const hexDigits = /^[0-9a-fA-F]+$/;

/** Returns the 64 hex digits of a signature. `undefined` for any other value. */
export function readSignature(signature: unknown): string | undefined {
  const value: unknown = Array.isArray(signature) && signature.length === 1 ? signature[0] : signature;
  return typeof value === 'string' && value.length === 64 && hexDigits.test(value) ? value : undefined;
}

/** Returns what is wrong with a signature for which `readSignature` returned `undefined`. */
export function faultOfSignature(signature: unknown) {
  const [value, ...others]: readonly unknown[] = [signature].flat();
  if (others.length === 0 && (value ?? '') === '') return 'missing_signature';
  // Node and `Headers` join the values of a repeated header with a comma.
  const isSeveral = others.length > 0 || (typeof value === 'string' && value.includes(','));
  return isSeveral ? 'ambiguous_signature' : 'malformed_signature';
}

/**
 * Compares the computed digest (64 lowercase hex digits) with the received one (64 hex digits of either case). The time does not depend
 * on where they differ.
 *
 * One loop for every runtime, and not `timingSafeEqual` on some. The loop allocates nothing, and comparing Node's hex output is faster
 * than converting to a Buffer.
 */
export function isSameDigest(computed: string, received: string): boolean {
  let difference = computed.length ^ received.length;
  for (let index = 0; index < computed.length; index += 1) {
    // Setting bit 5 converts A to F to lower case and does not change any other hex digit.
    difference |= computed.charCodeAt(index) ^ (received.charCodeAt(index) | 0x20);
  }
  return difference === 0;
}
