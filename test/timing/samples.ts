import { createCipheriv, createHash } from 'node:crypto';
import { signWebhook } from 'messaging-automation/webhooks';

/** Gives so many random bytes. */
export type RandomBytes = (length: number) => Buffer;

/** Random bytes that are the same for the same seed: the key stream of a cipher. */
export function createRandomBytes(seed: string): RandomBytes {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}

/** What is given to a subject in one measurement. */
export interface Sample {
  readonly body: string;
  /** The signature of the body by the first secret: what an attacker is after. */
  readonly right: string;
  readonly received: string;
}

/** What differs between two classes of samples, and nothing else does. */
export interface Difference {
  readonly name: string;
  /** What each class receives for a body: that of the first class, then that of the second. */
  received(body: string, right: string, random: RandomBytes): readonly [string, string];
}

export const secrets = ['whsec_timing', 'whsec_rotated'] as const;

export const differences = {
  /** An attacker who guesses digit after digit goes from the first of these to the second. */
  firstOrLastDigit: {
    name: 'first digit wrong, or last',
    received: (_, right, random) => [withWrongDigit(right, 0, random), withWrongDigit(right, 63, random)],
  },
  otherSecretOrLastDigit: {
    name: 'by another secret, or last digit wrong',
    received: (body, right, random) => [
      signWebhook(body, 'whsec_of_somebody_else'),
      withWrongDigit(right, 63, random),
    ],
  },
  firstOrSecondSecret: {
    name: 'by the first secret, or the second',
    received: (body, right) => [right, signWebhook(body, secrets[1])],
  },
  /** Of a digest that is still secret, this is what writing it down may tell. */
  smallOrLargeBytes: {
    name: 'bytes below 16, or from 16 on',
    received: (_, __, random) => [
      digestOf(random, (byte) => byte % 16),
      digestOf(random, (byte) => byte | 16),
    ],
  },
  /** Whatever is found between these is a fault of the measurement. */
  none: {
    name: 'nothing',
    received: (_, right, random) => [withWrongDigit(right, 0, random), withWrongDigit(right, 0, random)],
  },
} satisfies Record<string, Difference>;

/**
 * A fresh sample of one of the classes. Those of both classes are made in the same steps, which makes what either class
 * receives and then copies one of the two, so that neither the samples' places in memory nor the forms of their strings
 * tell the classes apart.
 */
export function makeSample(difference: Difference, ofSecond: boolean, random: RandomBytes): Sample {
  const body = random(32).toString('hex');
  const right = signWebhook(body, secrets[0]);
  // By way of bytes: these are in one piece already, and the string made of them is, as a header's is.
  const [first, second] = difference.received(body, right, random);
  const bytes = { first: Buffer.from(first, 'latin1'), second: Buffer.from(second, 'latin1') };
  const received = (ofSecond ? bytes.second : bytes.first).toString('latin1');
  return { body, right, received };
}

function digestOf(random: RandomBytes, chosen: (byte: number) => number): string {
  return Buffer.from(random(32).map(chosen)).toString('hex');
}

function withWrongDigit(signature: string, index: number, random: RandomBytes): string {
  const digit = Number.parseInt(signature.charAt(index), 16);
  const wrong = (digit + 1 + (random(1).readUInt8() % 15)) % 16;
  return signature.slice(0, index) + wrong.toString(16) + signature.slice(index + 1);
}
