import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { largestSeparation, measure } from './measure.js';
import { createRandomBytes } from './samples.js';
import { subjects } from './subjects.js';

// Whether the time that judging a signature takes tells what is wrong with it. Each subject is measured once, and what
// is found counts. How, and why these bounds: docs/decisions/0014-how-constant-time-is-measured.md.

/** What takes the same time stays below this; chance alone goes beyond it less than once in ten thousand times. */
const mostOfConstant = 5;
/** What leaks comes above this, or the machine is too busy for the measurement to say anything. */
const leastOfLeaking = 20;
/** Of a thousand measurements each. */
const batches = 100;

const { seed = randomUUID() } = parseArgs({ options: { seed: { type: 'string' } } }).values;
const random = createRandomBytes(seed);

print('subject', 'first class, or second', 'second − first', 't', 'expected');
for (const subject of subjects) {
  const { name, differences, expected, repetitions } = subject;
  for (const difference of differences) {
    const { t, nanoseconds } = largestSeparation(measure(subject, difference, batches, random));
    const isConstant = expected === 'constant';
    const holds = isConstant ? Math.abs(t) < mostOfConstant : t > leastOfLeaking;
    if (!holds) process.exitCode = 1;
    print(
      `${holds ? '✓' : '✗'} ${name}`,
      difference.name,
      `${(nanoseconds / repetitions).toFixed(1)} ns`,
      t.toFixed(1),
      isConstant ? `|t| < ${mostOfConstant}` : `t > ${leastOfLeaking}`,
    );
  }
}
console.log(`\nNode ${process.version}, ${batches} batches, --seed ${seed}`);
const leaks = 'A comparison leaks, or the controls were not caught.';
console.log(process.exitCode === 1 ? leaks : 'Everything is as expected.');

function print(subject: string, differs: string, difference: string, t: string, expected: string): void {
  console.log(
    `${subject.padEnd(46)} ${differs.padEnd(38)} ${difference.padStart(14)} ${t.padStart(8)}   ${expected}`,
  );
}
