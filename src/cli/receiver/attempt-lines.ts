import type { Redact } from '../../contract/redaction.js';
import { reasonIn } from '../running-server/reason-in-answer.js';
import { styled, type Terminal } from '../terminal/terminal.js';
import type { ForwardedAttempt } from './forwarded-attempt.js';

/** A forwarded attempt as one line of text. */
export function describeForwarded(terminal: Terminal, forwarded: ForwardedAttempt, shown: Redact): string {
  const { at, duration, attempt, status, answer = '', error } = forwarded;
  const { event, number, deliveryId } = attempt;
  const time = styled(terminal, 'dim', new Date(at).toISOString().slice(11, 19));
  const color = error === undefined ? 'green' : status === undefined ? 'red' : 'yellow';
  // The status already shows that this is not a success, so print the reason in the response.
  const reason = status === undefined ? (error ?? '') : error === undefined ? '' : reasonIn(answer);
  const what = `${event}, attempt ${number} of ${deliveryId}, ${duration} ms`;
  return `${time}  ${styled(terminal, color, String(status ?? '---'))}  ${shown(reason === '' ? what : `${what}: ${reason}`)}`;
}

/** A forwarded attempt as JSON data. */
export function forwardedAsData({ at, attempt, ...outcome }: ForwardedAttempt, to: string): object {
  const { event, deliveryId, number, attemptId } = attempt;
  const time = new Date(at).toISOString();
  return { type: 'attempt', time, event, deliveryId, number, attemptId, url: to, ...outcome };
}
