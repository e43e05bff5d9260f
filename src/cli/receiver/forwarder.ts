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
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Forwards an attempt. Reports the answer again if the attempt was forwarded before. */
  take(attempt: AttemptJson): void {
    const known = this.#known.get(attempt.attemptId);
    if (known === undefined) void this.#forward(attempt);
    else void known.report?.();
  }

  /** The server no longer waits for the answer: as with the service, the connection to the receiver is closed. */
  end(attemptId: string, error: string): void {
    this.#known.get(attemptId)?.limit.end(error);
  }

  async #forward(attempt: AttemptJson): Promise<void> {
    const { to, clock, signal, onForwarded, onRefused } = this.#options;
    const limit = timeLimit(clock, attempt.timeout, signal);
    const known: Known = { limit };
    this.#remember(attempt.attemptId, known);
    const at = clock.now();
    const body = new Uint8Array(Buffer.from(attempt.body, 'base64'));
    const signature = attempt.headers[signatureHeader] ?? '';
    const outcome = await postDelivery(to, { body, signature }, limit.signal);
    limit.clear();
    if (signal.aborted) return;
    onForwarded({ at, duration: Math.max(0, Math.round(clock.now() - at)), attempt, outcome });
    const { status, answer, receiverTime, error = '' } = outcome;
    const date = receiverTime === undefined ? undefined : new Date(receiverTime).toUTCString();
    const report = answer === undefined ? { error: error.slice(0, longestError) } : { status, answer, date };
    let isReporting = false;
    known.report = async () => {
      if (isReporting) return;
      isReporting = true;
      await this.#report(attempt, report).catch(onRefused);
      isReporting = false;
    };
    await known.report();
  }

  #remember(attemptId: string, known: Known): void {
    this.#known.set(attemptId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > attemptsKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Reports an answer until the server has it. */
  async #report(attempt: AttemptJson, body: object): Promise<void> {
    const { surface, clock, signal, onTooLate } = this.#options;
    const path = `/control/listeners/${attempt.listenerId}/attempts/${attempt.attemptId}`;
    const isAnswer = !('error' in body);
    while (!signal.aborted) {
      const limit = timeLimit(clock, longestReport, signal);
      try {
        const reply = await surface.ask('POST', path, { body, signal: limit.signal });
        const { outcome }: { readonly outcome?: unknown } = Object(reply);
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
}
