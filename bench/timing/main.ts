import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { toHex } from '../../src/webhooks/crypto/bytes.js';
import { signWebhook } from '../../src/webhooks/verification/sign.js';
import { isSameDigest } from '../../src/webhooks/verification/signature.js';
import { verifyWebhook } from '../../src/webhooks/verification/verify.js';
import {
  type Classes,
  createRandomBytes,
  type RandomBytes,
  type Subject,
  secret,
  separationOf,
} from './measure.js';

// Whether the time that judging a signature takes tells what is wrong with it. Each line is measured once, and what is found
// counts. How, and why these bounds: docs/decisions/constant-time-is-measured.md.

/** What takes the same time stays below this; chance alone goes beyond it less than once in ten thousand times. */
const mostOfConstant = 5;
/** What leaks comes above this, or the machine is too busy for the measurement to say anything. */
const leastOfLeaking = 20;

const secrets = [secret, 'whsec_rotated'];

/** An attacker who guesses digit after digit goes from the first of these to the second. */
const digits: Classes = (right, _, random) => [
  withWrongDigit(right, 0, random),
  withWrongDigit(right, 63, random),
];
const whichSecret: Classes = (right, body) => [right, signWebhook(body, 'whsec_rotated')];
/** Of a digest that is still secret, this is what writing it down may tell. */
const sizes: Classes = (_, __, random) => [
  Buffer.from(random(32).map((byte) => byte % 16)).toString('hex'),
  Buffer.from(random(32).map((byte) => byte | 16)).toString('hex'),
];
/** Whatever is found between these is a fault of the measurement. */
const none: Classes = (right, _, random) => [
  withWrongDigit(right, 0, random),
  withWrongDigit(right, 0, random),
];

const control: Subject = {
  repetitions: 1,
  judge: ({ body, received }) => compareUntilDifferent(signWebhook(body, secret), received),
};
const controlOfSecrets: Subject = {
  repetitions: 1,
  judge: ({ body, received }) => secrets.some((each) => verifyWebhook(body, received, each)),
};
const comparison: Subject = {
  repetitions: 16,
  judge: ({ right, received }) => isSameDigest(right, received),
};
const writing: Subject = {
  repetitions: 4,
  judge: ({ received }) => toHex(Buffer.from(received, 'hex')) === received,
};
const verification: Subject = {
  repetitions: 1,
  judge: ({ body, received }) => verifyWebhook(body, received, secret),
};
const verificationOfTwo: Subject = {
  repetitions: 1,
  judge: ({ body, received }) => verifyWebhook(body, received, secrets),
};

const lines: readonly (readonly [name: string, Subject, Classes, 'leaks' | 'constant'])[] = [
  ['control: stops at the first wrong digit: first digit wrong, or last', control, digits, 'leaks'],
  [
    'control: stops at the first secret that fits: the first, or the second',
    controlOfSecrets,
    whichSecret,
    'leaks',
  ],
  ['isSameDigest: nothing differs', comparison, none, 'constant'],
  ['isSameDigest: first digit wrong, or last', comparison, digits, 'constant'],
  ['toHex: bytes below 16, or from 16 on', writing, sizes, 'constant'],
  ['verifyWebhook: nothing differs', verification, none, 'constant'],
  ['verifyWebhook: first digit wrong, or last', verification, digits, 'constant'],
  ['verifyWebhook, two secrets: first digit wrong, or last', verificationOfTwo, digits, 'constant'],
  ['verifyWebhook, two secrets: the first, or the second', verificationOfTwo, whichSecret, 'constant'],
];

const { seed = randomUUID() } = parseArgs({ options: { seed: { type: 'string' } } }).values;
const random = createRandomBytes(seed);
for (const [name, subject, classes, expected] of lines) {
  const t = separationOf(subject, classes, random);
  const holds = expected === 'constant' ? Math.abs(t) < mostOfConstant : t > leastOfLeaking;
  if (!holds) process.exitCode = 1;
  console.log(`${holds ? '✓' : '✗'} ${name.padEnd(74)} t ${t.toFixed(1).padStart(8)}, ${expected}`);
}
console.log(
  `\nConstant: |t| < ${mostOfConstant}. Leaks: t > ${leastOfLeaking}. Node ${process.version}, --seed ${seed}`,
);

function withWrongDigit(signature: string, index: number, random: RandomBytes): string {
  const digit = Number.parseInt(signature.charAt(index), 16);
  const wrong = (digit + 1 + (random(1).readUInt8() % 15)) % 16;
  return signature.slice(0, index) + wrong.toString(16) + signature.slice(index + 1);
}

/** The mistake that the measurement must be able to see. */
function compareUntilDifferent(computed: string, received: string): boolean {
  if (computed.length !== received.length) return false;
  for (let index = 0; index < computed.length; index += 1) {
    if (computed.charCodeAt(index) !== received.charCodeAt(index)) return false;
  }
  return true;
}
