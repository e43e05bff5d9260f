import { createCipheriv, createHash } from 'node:crypto';
import { signWebhook } from '../../src/webhooks/verification/sign.js';

/** Gives so many random bytes. */
export type RandomBytes = (length: number) => Buffer;

/** Random bytes that are the same for the same seed: the key stream of a cipher. */
export function createRandomBytes(seed: string): RandomBytes {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}

export const secret = 'whsec_timing';

/** What a subject judges: a body, the signature of the body, which is what an attacker is after, and what was received. */
export interface Sample {
  readonly body: string;
  readonly right: string;
  readonly received: string;
}

/** What is received in each of two classes for a body. Nothing else differs between them. */
export type Classes = (right: string, body: string, random: RandomBytes) => readonly [string, string];

/** Something that judges signatures. */
export interface Subject {
  /** How often it is called in one measurement, so that what it does is long beside reading the clock. */
  readonly repetitions: number;
  readonly judge: (sample: Sample) => boolean;
}

/** Samples made at a time; few enough to stay in the cache. */
const batchSize = 1_000;
const batches = 100;

/**
 * Times a subject on fresh samples of the two classes in random order, and gives how far the classes lie apart. Samples are made
 * ahead, a batch at a time, and one loop with one call in it times them all without knowing their classes: a loop that times
 * the one class here and the other there is compiled to two pieces of machine code, and it is then their placing in memory
 * that is measured. The first few batches are not counted, so that what is timed has been compiled.
 */
export function separationOf(subject: Subject, classes: Classes, random: RandomBytes): number {
  const durations: { readonly isSecond: boolean; readonly duration: number }[] = [];
  for (let batch = -batches / 10; batch < batches; batch += 1) {
    const areSecond = Array.from(random(batchSize), (byte) => byte % 2 === 1);
    const timed = timeEach(
      subject,
      areSecond.map((isSecond) => makeSample(classes, isSecond, random)),
    );
    if (batch < 0) continue;
    for (const [index, isSecond] of areSecond.entries()) {
      durations.push({ isSecond, duration: timed[index] ?? Number.NaN });
    }
  }
  const [first, second] = [false, true].map((wanted) =>
    Float64Array.from(durations.flatMap(({ isSecond, duration }) => (isSecond === wanted ? duration : []))),
  );
  return largestT(first ?? new Float64Array(), second ?? new Float64Array());
}

/**
 * The samples of both classes are made in the same steps, which make what either class receives and then copy one of the two, so
 * that neither the samples' places in memory nor the forms of their strings tell the classes apart.
 */
function makeSample(classes: Classes, isSecond: boolean, random: RandomBytes): Sample {
  const body = random(32).toString('hex');
  const right = signWebhook(body, secret);
  const [first, second] = classes(right, body, random).map((text) => Buffer.from(text, 'latin1'));
  // By way of bytes, as a header is.
  return { body, right, received: String((isSecond ? second : first)?.toString('latin1')) };
}

function timeEach({ judge, repetitions }: Subject, samples: readonly Sample[]): Float64Array {
  const durations = new Float64Array(samples.length);
  let accepted = 0;
  let index = 0;
  for (const sample of samples) {
    const start = performance.now();
    for (let repetition = 0; repetition < repetitions; repetition += 1) accepted += Number(judge(sample));
    durations[index] = performance.now() - start;
    index += 1;
  }
  // Used, so that no compiler leaves the judging out. Signatures are right in both classes, or in none.
  if (accepted !== 0 && accepted !== samples.length * repetitions) throw new Error('The samples are wrong.');
  return durations;
}

/**
 * Welch's t: by how many standard errors the means differ, positive where the second class is slower. As dudect does: the slowest
 * measurements of both classes are dropped by one bound for both, since they tell of interrupts and collections rather than
 * of the subject, and that for bounds from half the measurements to all of them, closer together towards the slow end.
 */
function largestT(first: Float64Array, second: Float64Array): number {
  const sorted = Float64Array.from([...first, ...second]).sort();
  const shares = Array.from({ length: 21 }, (_, index) => (index === 20 ? 1 : 1 - 0.5 ** ((index + 2) / 2)));
  const all = shares.map((share) => {
    const bound = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
    const [one, other] = [first, second].map((times) => momentsOf(times.filter((time) => time <= bound)));
    return ((other?.mean ?? 0) - (one?.mean ?? 0)) / Math.sqrt((one?.error ?? 0) + (other?.error ?? 0));
  });
  // Where the classes lie apart altogether, a low bound leaves nothing of one of them.
  return all.filter(Number.isFinite).reduce((most, t) => (Math.abs(t) > Math.abs(most) ? t : most), 0);
}

/** The mean, and the square of its standard error. */
function momentsOf(times: Float64Array) {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const squares = times.reduce((sum, time) => sum + (time - mean) ** 2, 0);
  return { mean, error: squares / (times.length - 1) / times.length };
}
