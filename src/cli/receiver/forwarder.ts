import { type Clock, signatureHeader } from '../../webhooks/index.js';
import type { ControlSurface } from '../running-server/control-surface.js';
import { CommandFailure } from '../terminal/failures.js';
import { pause, type TimeLimit, timeLimit } from '../terminal/time.js';
import type { AttemptJson, ForwardedAttempt } from './forwarded-attempt.js';
import { postDelivery } from './local-receiver.js';

/** How long one try to report an answer may take. In milliseconds. */
const longestReport = 10_000;

/** How long to wait before an answer is reported again. In milliseconds. */
const pauseBetweenReports = 250;

/** The server's limit, in characters. */
const longestError = 1_000;

/** How many forwarded attempts to remember. A server has fewer in progress, so none is forwarded twice. */
const attemptsKnown = 1_000;

export interface ForwarderOptions {
  readonly surface: ControlSurface;
  /** The URL of the local receiver. */
  readonly to: string;
  readonly clock: Clock;
  /** Aborts all attempts in progress. */
  readonly signal: AbortSignal;
  /** Called once for each attempt, when the receiver has answered or failed. */
  readonly onForwarded: (forwarded: ForwardedAttempt) => void;
  /** Called for an answer that comes too late for the server. */
  readonly onTooLate: (attempt: AttemptJson) => void;
  /** Called when the server refuses an answer, so that it will not accept any. */
  readonly onRefused: (failure: unknown) => void;
}

/** An attempt that was forwarded, or is being forwarded. */
interface Known {
  readonly limit: TimeLimit;
  /** Reports to the server, once the receiver has answered or failed. */
  report?: () => Promise<void>;
}

/**
 * Sends each attempt to the local receiver, once, and reports its answer to the server until the server has it. An attempt that
 * the server offers again, because a connection was cut, gets its answer again.
 */
export function forwarder(options: ForwarderOptions) {
  const { to, clock, signal, onForwarded, onRefused } = options;
  const known = new Map<string, Known>();
  const forward = async (attempt: AttemptJson) => {
    const limit = timeLimit(clock, attempt.timeout, signal);
    const entry: Known = { limit };
    known.set(attempt.attemptId, entry);
    const [oldest] = known.keys();
    if (known.size > attemptsKnown && oldest !== undefined) known.delete(oldest);
    const at = clock.now();
    const body = new Uint8Array(Buffer.from(attempt.body, 'base64'));
    const signature = attempt.headers[signatureHeader] ?? '';
    const outcome = await postDelivery(to, { body, signature }, limit.signal);
    limit.clear();
    if (signal.aborted) return;
    onForwarded({ at, duration: Math.max(0, Math.round(clock.now() - at)), attempt, outcome });
    const { status, answer, receiverTime, error = '' } = outcome;
    const date = receiverTime === undefined ? undefined : new Date(receiverTime).toUTCString();
    const result = answer === undefined ? { error: error.slice(0, longestError) } : { status, answer, date };
    let isReporting = false;
    entry.report = async () => {
      if (isReporting) return;
      isReporting = true;
      await report(options, attempt, result).catch(onRefused);
      isReporting = false;
    };
    await entry.report();
  };
  return {
    /** Forwards an attempt. Reports the answer again if the attempt was forwarded before. */
    take(attempt: AttemptJson): void {
      const entry = known.get(attempt.attemptId);
      void (entry === undefined ? forward(attempt) : entry.report?.());
    },

    /** The server no longer waits for the answer: as with the service, the connection to the receiver is closed. */
    end: (attemptId: string, error: string) => known.get(attemptId)?.limit.end(error),
  };
}

/** Reports an answer until the server has it. */
async function report(
  { surface, clock, signal, onTooLate }: ForwarderOptions,
  attempt: AttemptJson,
  body: object,
): Promise<void> {
  const path = `/control/listeners/${attempt.listenerId}/attempts/${attempt.attemptId}`;
  const isAnswer = !('error' in body);
  while (!signal.aborted) {
    const limit = timeLimit(clock, longestReport, signal);
    try {
      const { outcome } = await surface.ask('POST', path, { body, signal: limit.signal });
      if (outcome === 'too_late' && isAnswer) onTooLate(attempt);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CommandFailure)) throw error;
      if (error.status === 404) return isAnswer ? onTooLate(attempt) : undefined;
      if (!error.mayPass) throw error;
    } finally {
      limit.clear();
    }
    await pause(clock, pauseBetweenReports, signal);
  }
}
