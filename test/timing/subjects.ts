import { signWebhook, verifyWebhook } from 'messaging-automation/webhooks';
import { toHex } from '../../src/webhooks/crypto/bytes.js';
import { isSameDigest } from '../../src/webhooks/verification/signature.js';
import { type Difference, differences, type Sample, secrets } from './samples.js';

/** What is expected of a subject: to take the same time for both classes, or to be seen not to. */
export type Expectation = 'constant' | 'leaking';

/** Something that judges signatures. */
export interface Subject {
  readonly name: string;
  readonly differences: readonly Difference[];
  readonly expected: Expectation;
  /** How often it is called in one measurement, so that what it does is long beside reading the clock. */
  readonly repetitions: number;
  judge(sample: Sample): boolean;
}

const { firstOrLastDigit, otherSecretOrLastDigit, firstOrSecondSecret, smallOrLargeBytes, none } =
  differences;
const whereWrong = [firstOrLastDigit, otherSecretOrLastDigit];

export const subjects: readonly Subject[] = [
  {
    name: 'control: stops at the first wrong digit',
    differences: whereWrong,
    expected: 'leaking',
    repetitions: 16,
    judge: ({ right, received }) => compareUntilDifferent(right, received),
  },
  {
    name: 'control: the same, behind the HMAC',
    differences: whereWrong,
    expected: 'leaking',
    repetitions: 1,
    judge: ({ body, received }) => compareUntilDifferent(signWebhook(body, secrets[0]), received),
  },
  {
    name: 'control: stops at the first secret that fits',
    differences: [firstOrSecondSecret],
    expected: 'leaking',
    repetitions: 1,
    judge: ({ body, received }) => secrets.some((secret) => verifyWebhook(body, received, secret)),
  },
  {
    name: 'isSameDigest',
    differences: [none, ...whereWrong],
    expected: 'constant',
    repetitions: 16,
    judge: ({ right, received }) => isSameDigest(right, received),
  },
  {
    name: 'toHex, used where there is no node:crypto',
    differences: [smallOrLargeBytes],
    expected: 'constant',
    repetitions: 4,
    judge: ({ received }) => toHex(Buffer.from(received, 'hex')) === received,
  },
  {
    name: 'verifyWebhook',
    differences: [none, ...whereWrong],
    expected: 'constant',
    repetitions: 1,
    judge: ({ body, received }) => verifyWebhook(body, received, secrets[0]),
  },
  {
    name: 'verifyWebhook, two secrets',
    differences: [firstOrLastDigit, firstOrSecondSecret],
    expected: 'constant',
    repetitions: 1,
    judge: ({ body, received }) => verifyWebhook(body, received, secrets),
  },
];

/** The mistake that the measurement must be able to see. */
function compareUntilDifferent(computed: string, received: string): boolean {
  if (computed.length !== received.length) return false;
  for (let index = 0; index < computed.length; index += 1) {
    if (computed.charCodeAt(index) !== received.charCodeAt(index)) return false;
  }
  return true;
}
