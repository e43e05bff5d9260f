import { createHmac } from 'node:crypto';
import type { Attempt, Delivery } from './evidence.js';

/** §8: a failed delivery is retried twice, and so long after each failure, by the workspace's clock. In milliseconds. */
export const retryWaits = [10_000, 60_000];
/** How long a fault of the kind `stall` takes, by the workspace's clock. In milliseconds. */
const stallTakes = 5_000;
/** How late a retry may be on a clock that flows with a busy machine's. In milliseconds. */
const flowingLateness = 15_000;

/** What is known of the delivery's way besides itself. */
export interface Surroundings {
  readonly clock: 'frozen' | 'flowing';
  readonly delayed: boolean;
  readonly secret: string | undefined;
  /** Whether its subscription was, or may have been, deleted. */
  readonly mayBeCancelled: boolean;
}

/** Follows a delivery from its first attempt to its end. */
export function problemsWithCourse(delivery: Delivery, surroundings: Surroundings): readonly string[] {
  const { attempts, status } = delivery;
  const problems = [
    ...problemsWithEnd(delivery, surroundings),
    ...attempts.flatMap((attempt, index) =>
      attempt.number === index + 1 ? [] : [`attempt ${index + 1} counts as ${attempt.number}`],
    ),
    ...attempts
      .slice(0, -1)
      .filter(({ error }) => error === undefined)
      .map(({ number }) => `attempt ${number} was acknowledged, and another followed`),
    ...attempts.flatMap((attempt) => problemsWithSignature(attempt, delivery, surroundings)),
    ...problemsWithTimes(delivery, surroundings),
  ];
  return problems.map(
    (problem) => `the delivery ${delivery.id} (${status}, ${attempts.length} attempts): ${problem}`,
  );
}

function problemsWithEnd(
  { status, attempts }: Delivery,
  { mayBeCancelled }: Surroundings,
): readonly string[] {
  const acknowledged = attempts.at(-1)?.error === undefined && attempts.length > 0;
  const allowed = retryWaits.length + 1;
  if (attempts.length > allowed) return [`more than ${allowed} attempts`];
  switch (status) {
    case 'delivered':
      return acknowledged ? [] : ['nobody has acknowledged it'];
    case 'failed':
      if (acknowledged) return ['it was acknowledged'];
      return attempts.length === allowed ? [] : [`given up before attempt ${allowed}`];
    case 'cancelled':
      if (acknowledged) return ['it was acknowledged'];
      if (attempts.length === allowed) return ['it has failed'];
      return mayBeCancelled ? [] : ['nobody has deleted its subscription'];
    case 'pending':
      return ['it waits for nothing'];
  }
}

/** The attempt carries the signature of the delivery's bytes, unless a fault says otherwise. */
function problemsWithSignature(
  { number, signature, faults = [] }: Attempt,
  { body }: Delivery,
  { secret }: Surroundings,
): readonly string[] {
  if (secret === undefined || faults.some(({ kind }) => changesBytes.includes(kind))) return [];
  return signature === signatureOf(body, secret)
    ? []
    : [`the signature of attempt ${number} is not of its bytes`];
}

/** The faults that send other bytes, or another signature. */
export const changesBytes: readonly string[] = ['malformed_json', 'drift', 'tamper'];

/** §6: the hexadecimal HMAC-SHA256 of the raw body, by Node's own code. */
export function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function problemsWithTimes(
  { attempts, createdAt }: Delivery,
  { clock, delayed }: Surroundings,
): readonly string[] {
  const [first] = attempts;
  const early = first !== undefined && first.startedAt < createdAt ? ['attempted before it was there'] : [];
  const retries = attempts.slice(1).flatMap((attempt, index) => {
    const previous = attempts[index];
    const wait = retryWaits[index];
    if (previous === undefined || wait === undefined) return [];
    const stalled = previous.faults?.some(({ kind }) => kind === 'stall') === true;
    const early = previous.startedAt + wait - attempt.startedAt;
    const name = `attempt ${attempt.number}`;
    if (early > 0) return [`${name} came ${early} ms early`];
    // A receiver that is down refuses an attempt before it stalls.
    const late = -early - (stalled ? stallTakes : 0);
    if (delayed) return [];
    const lateness = clock === 'frozen' ? 0 : flowingLateness;
    return late > lateness ? [`${name} came ${late} ms late`] : [];
  });
  return [...early, ...retries];
}
