import { gzipSync } from 'node:zlib';
import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
import { messageBody } from '../../delivery-body.js';
import type { BodyState } from './environment.js';
import { delivery, type Sent, splitInsideCodePoint, withSignatures, wrongSignature } from './sent.js';

/** The most bytes that the receivers of the matrix take. */
export const maxBodyBytes = 4096;

/** What the matrix's handler does with an event. */
export type Conduct = 'works' | 'throws' | 'is slow';

/** What the sender should see: a status, or no response. */
export type Expected = `${number}` | 'no response';

/** One row of the matrix. */
export interface Fault {
  readonly name: string;
  readonly sent: Sent;
  readonly state: BodyState;
  readonly conduct: Conduct;
  readonly expected: Expected;
}

const body = new TextEncoder().encode(messageBody);
const huge = delivery(`${messageBody}${' '.repeat(4 * maxBodyBytes)}`);
const [signature = ''] = delivery().headers.flatMap(([name, value]) =>
  name.startsWith('X-') ? [value] : [],
);

/** Every row. Only those that expect 204 or 500 may bring a delivery that verifies. */
export const faults: readonly Fault[] = [
  row('verified', '204', delivery()),
  row('split inside a code point', '204', {
    ...delivery(),
    chunks: splitInsideCodePoint(messageBody),
    framing: 'chunked',
  }),
  row('slow handler', '204', delivery(), { conduct: 'is slow' }),
  row('handler throws', '500', delivery(), { conduct: 'throws' }),
  row('bad signature', '401', withSignatures(delivery(), wrongSignature)),
  row('tampered', '401', { ...delivery(`${messageBody} `), headers: delivery().headers }),
  row(
    'another secret',
    '401',
    withSignatures(delivery(), signWebhook(messageBody, 'whsec_of_somebody_else')),
  ),
  row('missing signature', '401', withSignatures(delivery())),
  row('signature twice', '401', withSignatures(delivery(), signature, signature)),
  row('signature twice, one wrong', '401', withSignatures(delivery(), signature, wrongSignature)),
  row('signature in a trailer', '401', {
    ...withSignatures(delivery()),
    framing: 'chunked',
    trailers: [[signatureHeader, signature]],
  }),
  row('wrong method', '405', { ...delivery(), method: 'PUT' }),
  row('OPTIONS', '405', { ...delivery(), method: 'OPTIONS' }),
  row('body already parsed', '500', delivery(), { state: 'parsed' }),
  row('parsed, bad signature', '500', withSignatures(delivery(), wrongSignature), { state: 'parsed' }),
  row('body already consumed', '500', delivery(), { state: 'consumed' }),
  row('consumed, bad signature', '500', withSignatures(delivery(), wrongSignature), {
    state: 'consumed',
  }),
  row('not UTF-8', '400', delivery(notUtf8())),
  row('gzip', '415', encoded(delivery(gzipSync(body)))),
  row('oversized, length said', '413', huge),
  row('oversized, chunked', '413', { ...huge, framing: 'chunked' }),
  row('aborted upload', 'no response', { ...delivery(), breaksOff: true }),
];

function row(
  name: string,
  expected: Expected,
  sent: Sent,
  { state = 'plain', conduct = 'works' }: Partial<Pick<Fault, 'state' | 'conduct'>> = {},
): Fault {
  return { name, sent, state, conduct, expected };
}

function encoded(sent: Sent): Sent {
  return { ...sent, headers: [...sent.headers, ['Content-Encoding', 'gzip']] };
}

/** A delivery's JSON with a byte in it that is not UTF-8: decoded to text and encoded again, it is another. */
function notUtf8(): Uint8Array {
  const bytes = body.slice();
  bytes[messageBody.indexOf('message_1')] = 0xff;
  return bytes;
}
