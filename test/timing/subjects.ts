import { signWebhook, verifyWebhook } from 'messaging-automation/webhooks';
import { isSameDigest } from '../../src/webhooks/signature.js';

/** Something that judges a signature, to be timed. */
export interface Subject {
  readonly name: string;
  /** How often it is called in one measurement, so that a measurement is long beside the clock's grain. */
  readonly repetitions: number;
  /** Whether its time must not depend on where a signature is wrong, or must be seen to. */
  readonly expected: 'constant' | 'leaking';
  judge(delivery: SignedDelivery, signature: string): boolean;
}

/** A body, and the signature that an attacker is after. */
export interface SignedDelivery {
  readonly body: string;
  readonly right: string;
}

const secret = 'whsec_timing';

/** Two of the same length, whose signatures differ in their first digit. */
export const deliveries: readonly [SignedDelivery, SignedDelivery] = [signed('message'), signed('another')];

function signed(body: string): SignedDelivery {
  return { body, right: signWebhook(body, secret) };
}

/** The mistake that the test must be able to see: it stops at the first digit that differs. */
function compareUntilDifferent(computed: string, received: string): boolean {
  if (computed.length !== received.length) return false;
  for (let index = 0; index < computed.length; index += 1) {
    if (computed.charCodeAt(index) !== received.charCodeAt(index)) return false;
  }
  return true;
}

export const subjects: readonly Subject[] = [
  {
    name: 'the unsafe control, by itself',
    repetitions: 200,
    expected: 'leaking',
    judge: ({ right }, signature) => compareUntilDifferent(right, signature),
  },
  {
    name: 'the unsafe control, behind the HMAC',
    repetitions: 5,
    expected: 'leaking',
    judge: ({ body }, signature) => compareUntilDifferent(signWebhook(body, secret), signature),
  },
  {
    name: 'isSameDigest',
    repetitions: 200,
    expected: 'constant',
    judge: ({ right }, signature) => isSameDigest(right, signature),
  },
  {
    name: 'verifyWebhook',
    repetitions: 5,
    expected: 'constant',
    judge: ({ body }, signature) => verifyWebhook(body, signature, secret),
  },
];
