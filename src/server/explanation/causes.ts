import { causesOfAnswer } from './answers.js';
import type { AttemptedEvidence, Evidence } from './evidence.js';
import type { DeliveryCause } from './explanation.js';
import { causesOfFaults } from './injected.js';
import { causesOfNoAnswer } from './unreachable.js';

const certainties: readonly DeliveryCause['certainty'][] = ['certain', 'likely', 'possible'];

/** Returns the causes of a delivery's status, the most likely first. A certain cause is the only one. */
export function causesOf(evidence: Evidence): readonly DeliveryCause[] {
  const found = [...possibleCauses(evidence)];
  const certain = found.find(({ certainty }) => certainty === 'certain');
  if (certain !== undefined) return [certain];
  return found.sort((a, b) => certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty));
}

function* possibleCauses(evidence: Evidence): Generator<DeliveryCause> {
  const { delivery } = evidence;
  const attempt = delivery.attempts.at(-1);
  if (delivery.status === 'cancelled') yield cancelled(evidence);
  else if (attempt === undefined) yield notAttempted(evidence);
  else yield* causesOfAttempt({ ...evidence, attempt });
}

function* causesOfAttempt(evidence: AttemptedEvidence): Generator<DeliveryCause> {
  const { status, error, answer } = evidence.attempt;
  yield* causesOfFaults(evidence);
  if (error === undefined) yield acknowledged(evidence);
  else if (status === undefined || answer === undefined) yield* causesOfNoAnswer(evidence);
  else yield* causesOfAnswer({ ...evidence, status, text: textIn(answer) });
}

function cancelled({ delivery }: Evidence): DeliveryCause {
  return {
    cause: 'subscription_gone',
    certainty: 'certain',
    explanation: `Subscription ${delivery.subscriptionId} was deleted, which cancelled the delivery after ${delivery.attempts.length} attempts.`,
    advice: 'Subscribe again, and trigger the event again.',
  };
}

function notAttempted({ delivery, now }: Evidence): DeliveryCause {
  const { dueAt = now } = delivery;
  const isLater = dueAt > now;
  return {
    cause: 'not_attempted',
    certainty: 'certain',
    explanation: isLater
      ? `The first attempt is due at ${new Date(dueAt).toISOString()} by the workspace's clock.`
      : 'The first attempt is running, or waits for a free connection.',
    advice: isLater ? "Advance the workspace's clock, or wait." : 'Check again after the attempt.',
  };
}

function acknowledged({ attempt, delivery }: AttemptedEvidence): DeliveryCause {
  const before = delivery.attempts.length - 1;
  return {
    cause: 'acknowledged',
    certainty: 'certain',
    explanation: `The receiver answered ${attempt.status}: it accepted the delivery${before === 0 ? '' : `, after ${before} failed ${before === 1 ? 'attempt' : 'attempts'}`}.`,
    advice: 'You need not do anything.',
  };
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Returns the text of an answer on one line, without the markup of an error page. */
function textIn(answer: string): string {
  const isPage = /^\s*<(!doctype|html|head|body|pre)\b/i.test(answer);
  const text = isPage
    ? answer
        .replace(/<(title|style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')
        .replace(/&[#\w]{1,6};/g, (entity) => entities[entity] ?? entity)
    : answer;
  return text.replace(/\s+/g, ' ').trim();
}
