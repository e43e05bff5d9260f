import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { measure } from './measure.js';
import { createRandomBytes } from './random-bytes.js';
import { type Expectation, subjects } from './subjects.js';
import { largestSeparation } from './welch.js';

// Whether the time that judging a signature takes tells what is wrong with it. Each subject is measured once, and what
// is found counts. How, and why these bounds: docs/decisions/0014-how-constant-time-is-measured.md.

/** What takes the same time stays below this; chance alone goes beyond it less than once in ten thousand times. */
const mostOfConstant = 5;
/** What leaks comes above this, or the machine is too busy for the measurement to say anything. */
const leastOfLeaking = 20;
/** Of a thousand measurements each. */
const batches = 100;

const { values: given } = parseArgs({ options: { json: { type: 'boolean' }, seed: { type: 'string' } } });
const seed = given.seed ?? randomUUID();
const random = createRandomBytes(seed);

if (!given.json) console.log(line('subject', 'first class, or second', 'second − first', 't', 'expected'));
const results = subjects.flatMap((subject) =>
  subject.differences.map((difference) => {
    const { t, nanoseconds } = largestSeparation(measure(subject, difference, batches, random));
    const { name, expected, repetitions } = subject;
    const result = {
      subject: name,
      differs: difference.name,
      expected,
      t,
      nanoseconds: nanoseconds / repetitions,
      holds: holds(t, expected),
    };
    if (!given.json) console.log(lineOf(result));
    return result;
  }),
);

const hold = results.every((result) => result.holds);
if (!hold) process.exitCode = 1;
if (given.json) {
  const bounds = { mostOfConstant, leastOfLeaking };
  console.log(JSON.stringify({ node: process.version, seed, batches, bounds, hold, results }, undefined, 2));
} else {
  console.log(`\nNode ${process.version}, ${batches} batches, --seed ${seed}`);
  console.log(hold ? 'Everything is as expected.' : 'A comparison leaks, or the controls were not caught.');
}

function holds(t: number, expected: Expectation): boolean {
  switch (expected) {
    case 'constant':
      return Math.abs(t) < mostOfConstant;
    case 'leaking':
      return t > leastOfLeaking;
    case 'public':
      return true;
  }
}

function lineOf(result: (typeof results)[number]): string {
  const bound = {
    constant: `|t| < ${mostOfConstant}`,
    leaking: `t > ${leastOfLeaking}`,
    public: 'any: known to the sender',
  }[result.expected];
  const verdict = result.holds ? '✓' : '✗';
  return line(
    `${verdict} ${result.subject}`,
    result.differs,
    `${result.nanoseconds.toFixed(1)} ns`,
    result.t.toFixed(1),
    bound,
  );
}

function line(subject: string, differs: string, difference: string, t: string, expected: string): string {
  return `${subject.padEnd(46)} ${differs.padEnd(38)} ${difference.padStart(14)} ${t.padStart(8)}   ${expected}`;
}
