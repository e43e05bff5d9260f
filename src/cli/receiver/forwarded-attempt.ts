import type { Redact } from '../../contract/redaction.js';
import { reasonIn } from '../running-server/answers.js';
import { styled, type Terminal } from '../terminal/terminal.js';
import type { ReceiverOutcome } from './local-receiver.js';

/** A delivery attempt in the stream of a listener. */
export interface AttemptJson {
  readonly listenerId: string;
  readonly attemptId: string;
  readonly deliveryId: string;
  readonly number: number;
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes in base64. */
  readonly body: string;
  /** How long the server still waits for the answer, in milliseconds. */
  readonly timeout: number;
}

/** The result of an attempt at the local receiver. */
export interface ForwardedAttempt {
  /** When the attempt was forwarded, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly duration: number;
  readonly attempt: AttemptJson;
  readonly outcome: ReceiverOutcome;
}

/** A forwarded attempt as one line of text. */
export function describeForwarded(
  terminal: Terminal,
  { at, duration, attempt, outcome }: ForwardedAttempt,
  shown: Redact,
): string {
  const time = styled(terminal, 'dim', new Date(at).toISOString().slice(11, 19));
  const what = `${attempt.event}, attempt ${attempt.number} of ${attempt.deliveryId}, ${duration} ms`;
  const line = (color: 'green' | 'yellow' | 'red', status: string, reason = '') =>
    `${time}  ${styled(terminal, color, status)}  ${shown(reason === '' ? what : `${what}: ${reason}`)}`;
  const { status, answer, error } = outcome;
  if (answer === undefined) return line('red', '---', error);
  // The status already shows that this is not a success, so print the reason in the response.
  return error === undefined ? line('green', `${status}`) : line('yellow', `${status}`, reasonIn(answer));
}

/** A forwarded attempt as JSON data. */
export function forwardedAsData({ at, duration, attempt, outcome }: ForwardedAttempt, url: string): object {
  const { event, deliveryId, number, attemptId } = attempt;
  const time = new Date(at).toISOString();
  const shown = { ...outcome, receiverTime: undefined };
  return { type: 'attempt', time, event, deliveryId, number, attemptId, url, duration, ...shown };
}
