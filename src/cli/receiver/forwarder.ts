import type { Clock } from '../../webhooks/index.js';
import type { ControlSurface } from '../running-server/control-surface.js';
import { reasonOf } from '../running-server/reason-of-failure.js';
import { CommandFailure } from '../terminal/command-failure.js';
import { pause } from '../terminal/pause.js';
import { type TimeLimit, timeLimit } from '../terminal/time-limit.js';
import type { AttemptJson, ForwardedAttempt } from './forwarded-attempt.js';
import { isSuccess, postDelivery } from './post-delivery.js';

/** How long one try to report an answer may take. In milliseconds. */
const longestReport = 10_000;

/** How long to wait before an answer is reported again. In milliseconds. */
const pauseBetweenReports = 250;

/** The server's limits, in characters. */
const longestDate = 100;
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
  readonly attempt: AttemptJson;
  readonly limit: TimeLimit;
  /** The report to the server, once the receiver has answered or failed. */
  report: object | undefined;
  /** Why the server no longer waits, if it said so. */
  ended: string | undefined;
  isReporting: boolean;
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
    if (known === undefined) void this.#forward(this.#remember(attempt));
    else if (known.report !== undefined) void this.#report(known, known.report);
  }

  /** The server no longer waits for the answer: as with the service, the connection to the receiver is closed. */
  end(attemptId: string, error: string): void {
    const known = this.#known.get(attemptId);
    if (known === undefined || known.report !== undefined) return;
    known.ended = error;
    known.limit.end();
  }

  #remember(attempt: AttemptJson): Known {
    const { clock, signal } = this.#options;
    const limit = timeLimit(clock, attempt.timeout, signal);
    const known: Known = {
      attempt,
      limit,
      report: undefined,
      ended: undefined,
      isReporting: false,
    };
    this.#known.set(attempt.attemptId, known);
    if (this.#known.size > attemptsKnown) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return known;
  }

  async #forward(known: Known): Promise<void> {
    const { to, clock, signal, onForwarded } = this.#options;
    const { attempt, limit } = known;
    const at = clock.now();
    const bytes = new Uint8Array(Buffer.from(attempt.body, 'base64'));
    const outcome = await postDelivery(to, { headers: attempt.headers, bytes }, limit.signal).then(
      ({ status, text, date }) => ({
        report: { status, answer: text, ...(date !== undefined && date.length <= longestDate && { date }) },
        shown: {
          status,
          answer: text,
          ...(!isSuccess(status) && { error: `the receiver answered ${status}, not a 2xx` }),
        },
      }),
      (error: unknown) => {
        const why = limit.isUp
          ? (known.ended ?? 'no complete answer in time')
          : `no answer came: ${reasonOf(error)}`.slice(0, longestError);
        return { report: { error: why }, shown: { error: why } };
      },
    );
    limit.clear();
    if (signal.aborted) return;
    known.report = outcome.report;
    onForwarded({ at, duration: Math.max(0, Math.round(clock.now() - at)), attempt, ...outcome.shown });
    if (known.ended === undefined) await this.#report(known, known.report);
  }

  /** Reports an answer until the server has it. */
  async #report(known: Known, report: object): Promise<void> {
    if (known.isReporting) return;
    known.isReporting = true;
    try {
      await this.#reportUntilAccepted(known, report);
    } catch (error) {
      this.#options.onRefused(error);
    } finally {
      known.isReporting = false;
    }
  }

  async #reportUntilAccepted({ attempt }: Known, body: object): Promise<void> {
    const { surface, clock, signal, onTooLate } = this.#options;
    const path = `/control/listeners/${attempt.listenerId}/attempts/${attempt.attemptId}`;
    while (!signal.aborted) {
      const limit = timeLimit(clock, longestReport, signal);
      try {
        const answer = await surface.ask('POST', path, { body, signal: limit.signal });
        const { outcome }: { readonly outcome?: unknown } = Object(answer);
        if (outcome === 'too_late' && !('error' in body)) onTooLate(attempt);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof CommandFailure)) throw error;
        if (error.status === 404) return onTooLate(attempt);
        if (!error.mayPass) throw error;
      } finally {
        limit.clear();
      }
      await pause(clock, pauseBetweenReports, signal);
    }
  }
}
