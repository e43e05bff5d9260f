/**
 * What can have gone wrong between the service's signing and your verifying.
 *
 * - `signature_…`: the header was not given as it was sent.
 * - `body_…`: the bytes that were hashed are not those that were sent.
 * - `secret_…`: the key is not the subscription's whole secret.
 * - `signed_…`: the sender signs by another scheme than the service's.
 * - `unexplained`: none of these.
 */
export type WebhookFault =
  | 'signature_missing'
  | 'signature_repeated'
  | 'signature_decorated'
  | 'signature_base64'
  | 'signature_is_secret'
  | 'signature_of_other_length'
  | 'signature_malformed'
  | 'body_empty'
  | 'body_parsed'
  | 'body_compressed'
  | 'body_base64'
  | 'body_rewritten'
  | 'body_quoted'
  | 'body_byte_order_mark'
  | 'body_white_space'
  | 'body_charset'
  | 'body_bytes_as_text'
  | 'body_damaged'
  | 'body_truncated'
  | 'secret_white_space'
  | 'secret_quoted'
  | 'secret_list'
  | 'secret_preceded'
  | 'secret_prefix_missing'
  | 'secret_encoded'
  | 'secret_decoded'
  | 'signed_without_prefix'
  | 'signed_with_decoded_secret'
  | 'signed_with_timestamp'
  | 'signed_nothing'
  | 'unexplained';

/**
 * One explanation of a delivery that did not verify. Holds no secret, no signature and nothing of the body; it is
 * for your logs all the same, never for the sender.
 */
export interface WebhookFinding {
  /** What went wrong, for a program. */
  readonly fault: WebhookFault;
  /**
   * True when the signature is right once this, and every other proven finding, is undone. False when it is only what
   * the input looks like.
   */
  readonly proven: boolean;
  /** What was found. */
  readonly explanation: string;
  /** What to do about it. */
  readonly advice: string;
}

/** The finding of a fault. */
export function findingOf(fault: WebhookFault, proven: boolean): WebhookFinding {
  const [explanation, advice] = texts[fault];
  return { fault, proven, explanation, advice };
}

const takeRawBytes =
  'Take the body raw, ahead of any JSON parser: express.raw(), addContentTypeParser in Fastify, rawBody: true in ' +
  'NestJS, bodyParser: false in Next.js pages, await request.arrayBuffer() in Fetch handlers.';
const passAsReceived = 'Pass the value of X-Service-Signature exactly as it was received.';
const fixSetting = 'Correct the setting that the secret comes from, an environment variable perhaps.';
const notThisService =
  'The service does not sign so. Check that the sender is the service, and not another product or a test of your own.';

const texts: Readonly<Record<WebhookFault, readonly [explanation: string, advice: string]>> = {
  signature_missing: [
    'There is no signature.',
    'Read the header X-Service-Signature, lowercase where headers are a plain object, and see that no proxy drops it.',
  ],
  signature_repeated: [
    'There are several signatures.',
    `Find what repeats the header, a proxy perhaps. ${passAsReceived}`,
  ],
  signature_decorated: [
    'Around the hex digits of the signature stands something else, such as "sha256=", a version, quotes or a space.',
    `See that no other header is read and that nothing adds to the value. ${passAsReceived}`,
  ],
  signature_base64: [
    'The signature is written in base64, where the service writes hex.',
    `See that nothing converts the value and that no other header is read. ${passAsReceived}`,
  ],
  signature_is_secret: [
    'What was given as the signature looks like a secret.',
    'Check the order of the arguments: body, signature, secret.',
  ],
  signature_of_other_length: [
    'The signature is hex, but of another length than HMAC-SHA256 has: 64 digits.',
    `It may be cut short, or made by SHA-1 or SHA-512, which other products use. ${passAsReceived}`,
  ],
  signature_malformed: ['The signature is not 64 hex digits, or anything like it.', passAsReceived],
  body_empty: [
    'The body is empty. A delivery never is.',
    `Something before the receiver has read it, or the wrong field was given. ${takeRawBytes}`,
  ],
  body_parsed: [
    'The body is the text "[object Object]": a parsed object that was turned into a string.',
    takeRawBytes,
  ],
  body_compressed: [
    'The body is compressed. What is signed is not.',
    'Something in between, a proxy perhaps, compresses requests. Turn that off, or decompress before verifying.',
  ],
  body_base64: [
    'The body is base64 of what was signed.',
    "In AWS Lambda decode it where isBase64Encoded is set: Buffer.from(event.body, 'base64').",
  ],
  body_rewritten: [
    'The body is JSON that was parsed and written anew, with other bytes than those signed.',
    takeRawBytes,
  ],
  body_quoted: [
    'The body is a JSON string which holds what was signed: it was written as JSON twice.',
    `Leave out the JSON.stringify of a body that is text already. ${takeRawBytes}`,
  ],
  body_bytes_as_text: [
    'The body lists the bytes of what was signed as numbers: a Buffer or an array that was turned into JSON or text.',
    'Pass the bytes themselves on. Through a queue or a store send them as text, in base64 for one, and decode that.',
  ],
  body_byte_order_mark: [
    'A byte order mark at the start of the body was added or lost.',
    'Take the bytes instead of decoded text: Request.text() and TextDecoder leave the mark out.',
  ],
  body_white_space: [
    'White space at the ends of the body, or its line ends, were changed.',
    `Look for a trim(), a newline added by a file or a shell, or a proxy that rewrites line ends. ${takeRawBytes}`,
  ],
  body_charset: [
    'The body was decoded or encoded as Latin-1 or Windows-1252, where it is UTF-8.',
    'Take the bytes, or decode them as UTF-8.',
  ],
  body_damaged: [
    'The body holds replacement characters (U+FFFD), as bytes leave behind that are decoded in pieces.',
    'Join the chunks as bytes: Buffer.concat(chunks), not text += chunk. A contact may have sent one, too.',
  ],
  body_truncated: [
    'The body begins as JSON does and does not end so.',
    'Wait for the last chunk before verifying, and see that nothing cuts large bodies short.',
  ],
  secret_white_space: ['There is white space, or an invisible character, around the secret.', fixSetting],
  secret_quoted: ['There are quotes around the secret.', fixSetting],
  secret_list: [
    'What was given as one secret is several, with separators between them.',
    'Split it, and give the secrets as a list.',
  ],
  secret_preceded: [
    'Something stands before the secret: the name of its setting, perhaps, or its prefix a second time.',
    `${fixSetting} The secret begins with "whsec_", once.`,
  ],
  secret_prefix_missing: [
    'The secret lacks its prefix.',
    'Give the whole secret, "whsec_" included: the prefix is part of the key.',
  ],
  secret_encoded: [
    'The secret was given in base64 or hex, as Kubernetes keeps secrets.',
    'Decode it, or mount it so that it is decoded: the key is the text that the service returned.',
  ],
  secret_decoded: [
    'The secret was given decoded, from base64 or hex.',
    'Give the whole secret as the text that the service returned: that text is the key.',
  ],
  signed_without_prefix: [
    'The signature was made with the secret less its prefix "whsec_".',
    `${notThisService} If it must be accepted, give the secret without the prefix.`,
  ],
  signed_with_decoded_secret: [
    'The signature was made with the secret decoded from base64 or hex, as the Standard Webhooks scheme does.',
    `${notThisService} If it must be accepted, give the decoded bytes as the secret.`,
  ],
  signed_with_timestamp: [
    'The signature was made over a timestamp and the body, as Stripe and the Standard Webhooks scheme do.',
    notThisService,
  ],
  signed_nothing: [
    'The signature was made over an empty body.',
    'The sender signs before it has the body. If the sender is a test of your own, sign the bytes that it sends.',
  ],
  unexplained: [
    'The signature was made over other bytes or with another secret. The cause is unknown.',
    'Each subscription has a secret of its own: check that this one belongs to this URL and was not replaced since, ' +
      'and that body and signature are of one delivery. If so, see that nothing reads or rewrites the body first. ' +
      `${takeRawBytes} If that holds too, the delivery may be forged.`,
  ],
};
