import type { ListenerAttempt } from '../../server/index.js';
import { signatureHeader } from '../../webhooks/index.js';
import type { ControlClient } from '../running-server/control-client.js';
import { control } from '../running-server/operations.js';
import { postDelivery } from '../running-server/receiver.js';
import { reasonIn } from '../running-server/responses.js';
import { CommandFailure } from '../terminal/failures.js';
import { styled, type Terminal } from '../terminal/terminal.js';
import { pause, timeLimit } from '../terminal/time.js';

/** How long one try to report a response may take. In milliseconds. */
const longestReport = 10_000;

/** How long to wait before a response is reported again. In milliseconds. */
const pauseBetweenReports = 250;

/** The server's limit, in characters. */
const longestError = 1_000;

/** How many forwarded attempts to remember. A server has fewer in progress, so none is forwarded twice. */
const attemptsKnown = 1_000;

/** A delivery attempt in the stream of a listener. */
interface AttemptJson extends Omit<ListenerAttempt, 'body'> {
  /** The bytes in base64. */
  readonly body: string;
}

interface ForwarderOptions {
  readonly terminal: Terminal;
  readonly surface: ControlClient;
  /** The URL of the local receiver. */
  readonly to: string;
  /** The same URL for output. */
  readonly url: string;
  /** Aborts all attempts in progress. */
  readonly signal: AbortSignal;
  readonly json: boolean | undefined;
}

/** Sends each attempt to the local receiver, once, and reports its response to the server until the server has it. */
export function forwarder({ terminal, surface, to, url, signal, json }: ForwarderOptions) {
  const { clock } = terminal;
  /** The time limits of the attempts that were forwarded, or are being forwarded. */
  const known = new Map<string, ReturnType<typeof timeLimit>>();
  /** Reports a response until the server has it. */
  const report = async ({ listenerId, attemptId, number, deliveryId }: AttemptJson, body: object) => {
    const onTooLate = () => {
      if ('error' in body) return;
      terminal.complain(
        `The response to attempt ${number} of ${deliveryId} is too late: the server no longer waits for it.\n`,
      );
    };
    while (!signal.aborted) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(longestReport)]);
      try {
        const path = { id: listenerId, attempt: attemptId };
        const { outcome } = await surface.ask(control.listeners.respond, { path, body, signal: limit });
        if (outcome === 'too_late') onTooLate();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof CommandFailure)) throw error;
        if (error.status === 404) return onTooLate();
        if (!error.mayPass) throw error;
      }
      await pause(clock, pauseBetweenReports, signal);
    }
  };
  const forward = async (attempt: AttemptJson) => {
    const { event, deliveryId, number, attemptId } = attempt;
    const limit = timeLimit(clock, attempt.timeout, signal);
    known.set(attemptId, limit);
    const [oldest] = known.keys();
    if (known.size > attemptsKnown && oldest !== undefined) known.delete(oldest);
    const at = clock.now();
    const time = new Date(at).toISOString();
    const body = new Uint8Array(Buffer.from(attempt.body, 'base64'));
    const signature = attempt.headers[signatureHeader] ?? '';
    const outcome = await postDelivery(to, { body, signature }, limit.signal);
    limit.clear();
    if (signal.aborted) return;
    const duration = Math.max(0, Math.round(clock.now() - at));
    const { receiverTime, ...received } = outcome;
    const { status, responseBody, error } = received;
    if (json) {
      const about = { type: 'attempt', time, event, deliveryId, number, attemptId, url, duration };
      terminal.print(surface.json({ ...about, ...received }));
    } else {
      const color = responseBody === undefined ? 'red' : error === undefined ? 'green' : 'yellow';
      const mark = styled(terminal, color, `${status ?? '---'}`);
      // The status already shows that this is not a success, so print the reason in the response.
      const reason = responseBody === undefined ? error : error && reasonIn(responseBody);
      const what = `${event}, attempt ${number} of ${deliveryId}, ${duration} ms`;
      const text = surface.shown(reason ? `${what}: ${reason}` : what);
      terminal.print(`${styled(terminal, 'dim', time.slice(11, 19))}  ${mark}  ${text}`);
    }
    const date = receiverTime === undefined ? undefined : new Date(receiverTime).toUTCString();
    const result =
      responseBody === undefined
        ? { error: `${error}`.slice(0, longestError) }
        : { status, responseBody, date };
    await report(attempt, result);
  };
  return {
    /**
     * Forwards an attempt, unless it was forwarded before: the server offers it again after a cut connection.
     *
     * @throws CommandFailure if the server refuses the response, so that it will not accept any.
     */
    take: async (attempt: AttemptJson) => {
      if (!known.has(attempt.attemptId)) await forward(attempt);
    },

    /** The server no longer waits for the response: as with the service, the connection to the receiver is closed. */
    end: (attemptId: string, error: string) => known.get(attemptId)?.end(error),
  };
}
