import { createHash } from 'node:crypto';
import { changesBytes, signatureOf } from './course.js';
import type { Arrival, Attempt, Delivery } from './evidence.js';

/** A delivery's attempts, as far as they were one workspace's own. */
export interface Sent {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  readonly secret: string;
}

/** How many requests of one attempt a receiver may have written down. */
interface Reach {
  /** With the delivery's bytes and their signature. */
  readonly least: number;
  readonly most: number;
  /** With others, by a fault. */
  readonly altered: number;
}

/** What is to be found at a receiver of one delivery's bytes. */
interface Expected {
  least: number;
  most: number;
  /** How many attempts a receiver has acknowledged. */
  acknowledged: number;
}

/**
 * Holds what receivers wrote down against what the server says it sent. Where an answer was lost, the receiver has the
 * delivery more than once: at least once is the promise.
 *
 * @param openPaths - Where there may be more, from workspaces that were closed with attempts under way.
 */
export function problemsWithArrivals(
  sent: readonly Sent[],
  arrivals: readonly Arrival[],
  openPaths: ReadonlySet<string>,
): readonly string[] {
  const expected = new Map<string, Expected>();
  const altered = new Map<string, number>();
  for (const { delivery, attempts, secret } of sent) {
    const path = new URL(delivery.url).pathname;
    const key = keyOf(path, digestOf(delivery.body), signatureOf(delivery.body, secret));
    const sum = expected.get(key) ?? { least: 0, most: 0, acknowledged: 0 };
    for (const attempt of attempts) {
      const reach = reachOf(attempt);
      sum.least += reach.least;
      sum.most += reach.most;
      if (reach.least > 0 && attempt.error === undefined) sum.acknowledged += 1;
      altered.set(path, (altered.get(path) ?? 0) + reach.altered);
    }
    expected.set(key, sum);
  }
  const problems: string[] = [];
  const seen = new Map<string, { total: number; acknowledged: number }>();
  const strange = new Map<string, number>();
  for (const { path, digest, signature, acknowledged } of arrivals) {
    const key = keyOf(path, digest, signature);
    if (!expected.has(key)) {
      strange.set(path, (strange.get(path) ?? 0) + 1);
      continue;
    }
    const sum = seen.get(key) ?? { total: 0, acknowledged: 0 };
    seen.set(key, { total: sum.total + 1, acknowledged: sum.acknowledged + (acknowledged ? 1 : 0) });
  }
  for (const [key, { least, most, acknowledged }] of expected) {
    const [path = ''] = key.split(' ');
    const there = seen.get(key) ?? { total: 0, acknowledged: 0 };
    const times = `a delivery to ${path} has reached its receiver ${there.total} times`;
    if (there.total < least) problems.push(`${times}, at least ${least} were answered: lost`);
    else if (there.acknowledged < acknowledged) {
      problems.push(`${times}, which acknowledged ${there.acknowledged} and not ${acknowledged}`);
    }
    if (there.total > most && !openPaths.has(path))
      problems.push(`${times}, at most ${most} were sent: invented`);
  }
  for (const [path, count] of strange) {
    const most = altered.get(path) ?? 0;
    if (count > most && !openPaths.has(path)) {
      problems.push(
        `${count} requests to ${path} are of no delivery, and faults have altered ${most}: invented`,
      );
    }
  }
  return problems;
}

function reachOf({ faults = [], status }: Attempt): Reach {
  const fault = faults.find(({ kind }) => kind !== 'latency' && kind !== 'reorder');
  // Who was answered was there; without an answer, nobody knows.
  const once = status === undefined ? 0 : 1;
  if (fault === undefined) return { least: once, most: 1, altered: 0 };
  switch (fault.kind) {
    case 'duplicate':
      return { least: once, most: 2, altered: 0 };
    case 'status':
    case 'reset':
    case 'stall':
      return { least: 0, most: fault.when === 'after_receipt' ? 1 : 0, altered: 0 };
    default:
      // A drift that finds nothing to change changes nothing.
      return { least: 0, most: changesBytes.includes(fault.kind) ? 1 : 0, altered: 1 };
  }
}

function keyOf(path: string, digest: string, signature: string): string {
  return `${path} ${digest} ${signature}`;
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
