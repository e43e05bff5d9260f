/**
 * A fault between the signing by the service and your verification.
 *
 * - `signature_…`: you did not pass the header as it was sent.
 * - `body_…`: you did not hash the bytes that were sent.
 * - `secret_…`: the key is not the subscription's whole secret.
 * - `signed_…`: the sender uses another signature scheme than the service.
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
 * One explanation of a delivery that did not verify. It contains no secret, no signature and no part of the body. Nevertheless,
 * only log it, and never send it to the sender.
 */
export interface WebhookFinding {
  /** The fault, for code. */
  readonly fault: WebhookFault;
  /**
   * True if the signature becomes right when this and every other proven finding is corrected. False if the input only looks like
   * this fault.
   */
  readonly proven: boolean;
  /** What went wrong, as a sentence. */
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
const fixSetting = 'Correct the setting that contains the secret, for example an environment variable.';
const notThisService =
  'The service does not sign like this. Check that the sender is the service, and not another product or your own test.';

const texts: Readonly<Record<WebhookFault, readonly [explanation: string, advice: string]>> = {
  signature_missing: [
    'There is no signature.',
    'Read the header X-Service-Signature, lowercase where headers are a plain object, and see that no proxy drops it.',
  ],
  signature_repeated: [
    'There are several signatures.',
    `Find what repeats the header, for example a proxy. ${passAsReceived}`,
  ],
  signature_decorated: [
    'The signature has other text around its hex digits, such as "sha256=", a version, quotes or a space.',
    `See that no other header is read and that nothing adds to the value. ${passAsReceived}`,
  ],
  signature_base64: [
    'The signature is base64, but the service sends hex.',
    `See that nothing converts the value and that no other header is read. ${passAsReceived}`,
  ],
  signature_is_secret: [
    'The value passed as the signature looks like a secret.',
    'Check the order of the arguments: body, signature, secret.',
  ],
  signature_of_other_length: [
    'The signature is hex, but does not have the 64 digits of HMAC-SHA256.',
    `It may be cut short, or made by SHA-1 or SHA-512, which other products use. ${passAsReceived}`,
  ],
  signature_malformed: ['The signature is not 64 hex digits, or anything like it.', passAsReceived],
  body_empty: [
    'The body is empty. A delivery never is.',
    `Something before the receiver has read it, or you passed the wrong field. ${takeRawBytes}`,
  ],
  body_parsed: [
    'The body is the text "[object Object]": a parsed object that was turned into a string.',
    takeRawBytes,
  ],
  body_compressed: [
    'The body is compressed. What is signed is not.',
    'Something in between, for example a proxy, compresses requests. Disable that, or decompress before verifying.',
  ],
  body_base64: [
    'The body is base64 of what was signed.',
    "In AWS Lambda decode it where isBase64Encoded is set: Buffer.from(event.body, 'base64').",
  ],
  body_rewritten: [
    'The body is JSON that was parsed and serialized again, with other bytes than those signed.',
    takeRawBytes,
  ],
  body_quoted: [
    'The body is a JSON string that contains the signed text: it was serialized as JSON twice.',
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
    'The body was decoded or encoded as Latin-1 or Windows-1252, but it is UTF-8.',
    'Take the bytes, or decode them as UTF-8.',
  ],
  body_damaged: [
    'The body holds replacement characters (U+FFFD), as bytes leave behind that are decoded in pieces.',
    'Join the chunks as bytes: Buffer.concat(chunks), not text += chunk. A contact may have sent one, too.',
  ],
  body_truncated: [
    'The body begins like JSON, but does not end like JSON.',
    'Wait for the last chunk before verifying, and see that nothing cuts large bodies short.',
  ],
  secret_white_space: ['There is white space, or an invisible character, around the secret.', fixSetting],
  secret_quoted: ['There are quotes around the secret.', fixSetting],
  secret_list: [
    'The value passed as one secret contains several, with separators between them.',
    'Split it, and give the secrets as a list.',
  ],
  secret_preceded: [
    'The secret has text before it, such as the name of its setting, or its prefix a second time.',
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
    'The signature was made with the secret without its prefix "whsec_".',
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
    'Each subscription has its own secret: check that this one belongs to this URL and was not replaced since, ' +
      'and that body and signature are of one delivery. If so, see that nothing reads or rewrites the body first. ' +
      `${takeRawBytes} If that holds too, the delivery may be forged.`,
  ],
};
