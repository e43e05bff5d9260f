import { gzipSync } from 'node:zlib';
import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
import { messageBody } from '../../delivery-body.js';
import { delivery, type Sent, splitInsideCodePoint, withSignatures, wrongSignature } from './sent.js';

/** The most bytes that the receivers of the matrix take. */
export const maxBodyBytes = 4096;

/** What stands before the adapter: nothing, something that parses every body, or something that reads it away. */
export type Arrangement = 'plain' | 'parsed' | 'consumed';

/** What the matrix's handler does with an event. */
export type Conduct = 'works' | 'throws' | 'is slow';

/** What an answer may be: an exact status, a class of statuses, or none. */
export type Expected = `${number}` | '2xx' | '4xx' | '5xx' | 'no answer';

/** One row of the matrix. */
export interface Fault {
  readonly name: string;
  readonly sent: Sent;
  readonly arrangement: Arrangement;
  readonly conduct: Conduct;
  readonly expected: Expected;
}

const body = new TextEncoder().encode(messageBody);
const huge = delivery(`${messageBody}${' '.repeat(4 * maxBodyBytes)}`);
const [signature = ''] = delivery().headers.flatMap(([name, value]) =>
  name.startsWith('X-') ? [value] : [],
);

/** Every row. None of those that expect something else than 2xx holds a delivery that anybody verified. */
export const faults: readonly Fault[] = [
  row('verified', '2xx', delivery()),
  row('split inside a code point', '2xx', {
    ...delivery(),
    chunks: splitInsideCodePoint(messageBody),
    framing: 'chunked',
  }),
  row('slow handler', '2xx', delivery(), { conduct: 'is slow' }),
  row('handler throws', '5xx', delivery(), { conduct: 'throws' }),
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
  row('body already parsed', '500', delivery(), { arrangement: 'parsed' }),
  row('parsed, bad signature', '500', withSignatures(delivery(), wrongSignature), { arrangement: 'parsed' }),
  row('body already consumed', '500', delivery(), { arrangement: 'consumed' }),
  row('consumed, bad signature', '500', withSignatures(delivery(), wrongSignature), {
    arrangement: 'consumed',
  }),
  row('gzip', '415', encoded(delivery(gzipSync(body)))),
  row('oversized, length said', '413', huge),
  row('oversized, chunked', '413', { ...huge, framing: 'chunked' }),
  row('aborted upload', 'no answer', { ...delivery(), breaksOff: true }),
];

function row(
  name: string,
  expected: Expected,
  sent: Sent,
  { arrangement = 'plain', conduct = 'works' }: Partial<Pick<Fault, 'arrangement' | 'conduct'>> = {},
): Fault {
  return { name, sent, arrangement, conduct, expected };
}

function encoded(sent: Sent): Sent {
  return { ...sent, headers: [...sent.headers, ['Content-Encoding', 'gzip']] };
}
