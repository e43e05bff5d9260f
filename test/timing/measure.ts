import type { SignedDelivery, Subject } from './subjects.js';
import { welchT } from './welch.js';

/**
 * One wrong signature in two classes: for one delivery its first digits are right, for the other they are not. An
 * attacker learns something if judging it takes longer in the one class than in the other.
 */
export interface TimedSignature {
  readonly signature: string;
  readonly near: SignedDelivery;
  readonly far: SignedDelivery;
}

/** Past this the two classes take different times beyond reasonable doubt; dudect's threshold. */
export const threshold = 10;

/**
 * Times each signature in both classes, in which one first by the toss of a coin, so that whatever the machine does meanwhile
 * befalls both alike. Then drops the slowest measurements of both by the same bounds, as dudect does, since those tell
 * of interrupts and collections rather than of the subject, and gives the t that is largest over several such bounds.
 */
export function measure(
  subject: Subject,
  signatures: readonly TimedSignature[],
  milliseconds: number,
): number {
  const near: number[] = [];
  const far: number[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    for (const { signature, near: right, far: wrong } of signatures) {
      if (Math.random() < 0.5) {
        near.push(time(subject, right, signature));
        far.push(time(subject, wrong, signature));
      } else {
        far.push(time(subject, wrong, signature));
        near.push(time(subject, right, signature));
      }
    }
  }
  const sorted = [...near, ...far].sort((one, other) => one - other);
  return [0.5, 0.75, 0.9, 0.95]
    .map((share) => sorted[Math.floor(sorted.length * share)] ?? Number.POSITIVE_INFINITY)
    .map((bound) =>
      welchT(
        near.filter((value) => value <= bound),
        far.filter((value) => value <= bound),
      ),
    )
    .reduce((largest, t) => (Math.abs(t) > Math.abs(largest) ? t : largest), 0);
}

function time({ judge, repetitions }: Subject, delivery: SignedDelivery, signature: string): number {
  const start = process.hrtime.bigint();
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    if (judge(delivery, signature)) throw new Error('A signature that must be wrong is right.');
  }
  return Number(process.hrtime.bigint() - start);
}
