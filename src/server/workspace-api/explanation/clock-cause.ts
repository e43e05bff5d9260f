import { away, clocksOfReceivers, inWords, refusals, skewAt } from '../../deliveries/refused-for-time.js';
import type { ResponseEvidence } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

/** Clocks within this difference count as equal, because a `Date` header counts in seconds and a response takes time. In milliseconds. */
const sameClock = 60_000;

/** The words of a response that rejects a delivery because of its timestamp, including those of this package. */
const saysSo = /\b(timestamp|too (old|new|far)|ms (old|ahead)|expired?|stale|replay|clock|in the future)\b/i;

/** Returns the clock by which a receiver would reject the delivery as too old or too new, if there is one. */
export function clockCause(evidence: ResponseEvidence): readonly DeliveryCause[] {
  const { status, text } = evidence;
  const found = refusals.includes(status) ? clockIn(evidence) : undefined;
  if (found === undefined) return [];
  const { isUsual, ...words } = found;
  // The receivers of this package respond with 400 if the signature is valid but the timestamp is not.
  const isLikely = saysSo.test(text) || (status === 400 && isUsual);
  return [{ cause: 'clock', certainty: isLikely ? 'likely' : 'possible', ...words }];
}

interface FoundClock extends Pick<DeliveryCause, 'explanation' | 'advice'> {
  /** Whether receivers usually have this clock. */
  readonly isUsual: boolean;
}

function clockIn({ body, clocks, stamps, attempt }: ResponseEvidence): FoundClock | undefined {
  const { receiver, workspace } = clocks;
  const machine = attempt.machineTime;
  const stamping = stamps === 'machine' ? machine : workspace;
  const age = stamping === undefined ? undefined : skewAt(body, stamping);
  if (age !== undefined && age > 0) {
    return {
      isUsual: true,
      explanation: `The delivery was ${inWords(age)} old when it was attempted, because it keeps the timestamp of the event. Receivers reject such an old delivery as a replay.`,
      advice: 'Trigger the event again, or raise tolerance.past of the receiver temporarily.',
    };
  }
  // The header omits the milliseconds.
  const off = receiver && (skewAt(body, receiver + 999) ?? skewAt(body, receiver));
  if (receiver !== undefined && off !== undefined && isAnother(receiver, machine, workspace)) {
    const difference = receiver - (machine ?? workspace);
    return {
      isUsual: true,
      explanation: `The timestamp of the delivery is ${away(off)} the receiver's clock, according to the Date header of its response.`,
      advice: `Correct the clock of the receiver's machine: it is ${inWords(Math.abs(difference))} ${difference > 0 ? 'ahead of' : 'behind'} ${machine === undefined ? "the workspace's" : 'that of this one'}.`,
    };
  }
  for (const which of ['machine', 'workspace'] as const) {
    const time = which === 'machine' ? machine : workspace;
    const skew = which === stamps || time === undefined ? undefined : skewAt(body, time);
    if (skew === undefined) continue;
    const { clock, advice } = clocksOfReceivers[which];
    return {
      isUsual: which === 'machine',
      explanation: `The timestamp of the delivery is ${away(skew)} ${clock}, so a receiver with that clock rejects it.`,
      advice: `${advice[0]?.toUpperCase()}${advice.slice(1)}.`,
    };
  }
  return undefined;
}

/** Whether the receiver has neither the machine's clock nor the workspace's. */
function isAnother(receiver: number, ...known: readonly (number | undefined)[]): boolean {
  return known.every((time = Number.POSITIVE_INFINITY) => Math.abs(receiver - time) > sameClock);
}
