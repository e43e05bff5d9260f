/**
 * The value of the `X-Service-Signature` header, as frameworks hand it over: a string, nothing, or a list with
 * one string in it. Several values are ambiguous and refused.
 */
export type WebhookSignature = string | null | undefined | readonly string[];

const hexDigits = /^[0-9a-fA-F]+$/;

/** The 64 hex digits of a signature, or `undefined` for anything that is not exactly that. */
export function readSignature(signature: unknown): string | undefined {
  const value: unknown = Array.isArray(signature) && signature.length === 1 ? signature[0] : signature;
  return typeof value === 'string' && value.length === 64 && hexDigits.test(value) ? value : undefined;
}

/** What is wrong with a signature that `readSignature` refused. */
export function faultOfSignature(
  signature: unknown,
): 'missing_signature' | 'ambiguous_signature' | 'malformed_signature' {
  if (signature === undefined || signature === null || signature === '') return 'missing_signature';
  if (Array.isArray(signature)) {
    if (signature.length === 0) return 'missing_signature';
    return signature.length === 1 ? faultOfSignature(signature[0]) : 'ambiguous_signature';
  }
  // Node and `Headers` join a header that was sent twice with a comma.
  const several = typeof signature === 'string' && signature.includes(',');
  return several ? 'ambiguous_signature' : 'malformed_signature';
}

/**
 * Compares the digest that was computed (64 lowercase hex digits) with the one received (64 hex digits of
 * either case) in a time that does not depend on where they differ.
 *
 * One loop for every runtime, instead of `timingSafeEqual` here and another there: it allocates nothing, and
 * asking Node for hex and comparing that is faster than asking it for a Buffer.
 */
export function isSameDigest(computed: string, received: string): boolean {
  let difference = computed.length ^ received.length;
  for (let index = 0; index < computed.length; index += 1) {
    // Setting bit 5 makes A to F lowercase and leaves every other hex digit as it is.
    difference |= computed.charCodeAt(index) ^ (received.charCodeAt(index) | 0x20);
  }
  return difference === 0;
}
