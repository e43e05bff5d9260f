import type { Clock } from '../../foundation/clock.js';
import { notify } from '../../foundation/listeners.js';
import { type Outcome, RequestError } from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import type { WithResponse } from '../response/interpret.js';
import type { CallTrace, TracingChannel } from './tracing.js';

/**
 * The fields of a log line. They identify neither the contact nor the content: they contain no key, secret, phone
 * number, request body or URL with values.
 */
export interface LogFields {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path without its values, such as `/v1/contacts/:id`. */
  readonly urlTemplate: string;
  /** The number of attempts so far. */
  readonly attempts: number;
  /** The duration of the call in milliseconds, when it has ended. */
  readonly durationMs?: number;
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs?: number;
  /** The HTTP status, if a response arrived. */
  readonly status?: number;
  /** The service's id of the request, from the response header `x-request-id`. */
  readonly requestId?: string;
  /** The name of the error class. */
  readonly errorName?: string;
  /** The service's error code, or the code of the connection failure. */
  readonly code?: string;
  /** What became of the request, when the call failed. */
  readonly outcome?: Outcome;
}

/**
 * Receives the log lines of the client. `console` and pino loggers fit. The client skips levels without a method, and
 * ignores what a method throws or rejects with.
 *
 * - `debug`: an attempt starts.
 * - `info`: a call succeeded, or its caller aborted it.
 * - `warn`: an attempt failed, and the client will retry.
 * - `error`: a call failed.
 *
 * @example
 * ```ts
 * import { type Logger, MessagingAutomation } from 'messaging-automation';
 *
 * const logger: Logger = {
 *   warn: ({ operation, status }, message) => console.warn(message, { operation, status }),
 *   error: ({ operation, outcome }, message) => console.error(message, { operation, outcome }),
 * };
 * const messaging = new MessagingAutomation({ logger });
 * await messaging.templates.list();
 * ```
 */
export interface Logger {
  /** Called with the fields and a complete sentence. The fields make the log searchable. */
  readonly debug?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** Like `debug`. */
  readonly info?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** Like `debug`. */
  readonly warn?: ((fields: LogFields, message: string) => unknown) | undefined;
  /** Like `debug`. */
  readonly error?: ((fields: LogFields, message: string) => unknown) | undefined;
}

/** The log of one call. Only a call with a logger or a tracer loads this file. */
export type CallLog = ReturnType<typeof logOf>;

/** @param start The time when the call started. */
export function logOf(logger: Logger | undefined, clock: Clock, call: CallState, start: number) {
  const { name, method, path } = call.operation;

  function write(level: keyof Logger, particulars: Particulars, message: string): void {
    const { attempts } = call;
    const known = Object.entries(particulars).filter(([, value]) => value !== undefined);
    const subject = { operation: name, method, urlTemplate: path, attempts };
    notify(() => logger?.[level]?.({ ...subject, ...Object.fromEntries(known) }, `${name} ${message}`));
  }

  function ended(level: keyof Logger, what: string, particulars: Particulars): void {
    const { attempts } = call;
    const durationMs = clock.now() - start;
    const effort = `after ${durationMs} ms and ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    const { outcome } = particulars;
    const message = `${what} ${effort}${outcome ? `, outcome ${outcome}` : ''}`;
    write(level, { ...particulars, durationMs }, message);
  }

  return {
    attemptBegins: () => write('debug', {}, `attempt ${call.attempts}: ${method} ${path}`),
    attemptFailed(error: RequestError, delay: number): void {
      const delayMs = Math.round(delay);
      const message = `attempt ${call.attempts} failed with ${titleOf(error)}, the next follows in ${delayMs} ms`;
      write('warn', { ...fieldsOf(error), delayMs }, message);
    },
    /** Logs how the call ends, without affecting it. */
    async follow<Data>(
      work: () => Promise<WithResponse<Data>>,
      signal: AbortSignal | undefined,
    ): Promise<WithResponse<Data>> {
      try {
        const response = await work();
        const { status } = response.response;
        ended('info', `returned ${status}`, { status, requestId: response.requestId });
        return response;
      } catch (error) {
        const { outcome } = call;
        if (signal?.aborted && error === signal.reason)
          ended('info', 'was aborted by its caller', { outcome });
        else ended('error', `failed with ${titleOf(error)}`, { ...fieldsOf(error), outcome });
        throw error;
      }
    },
  };
}

type Subject = 'operation' | 'method' | 'urlTemplate' | 'attempts';
type Particulars = { readonly [Name in Exclude<keyof LogFields, Subject>]?: LogFields[Name] | undefined };

function fieldsOf(error: unknown): Particulars {
  if (!(error instanceof RequestError)) return {};
  const { name, status, code, requestId } = error;
  return { errorName: name, status, code, requestId };
}

/** The facts about an error that contain no user data. Its message is left to the code that catches it. */
function titleOf(error: unknown): string {
  if (!(error instanceof RequestError)) return 'an unexpected error';
  const { name, status, code } = error;
  return [name, status, code].filter((part) => part !== undefined).join(' ');
}

/** Runs the work of a call within the tracing channel, so that subscribers see it and bound stores apply. */
export async function trace<Data>(
  channel: TracingChannel,
  call: CallState,
  baseUrl: string,
  work: () => Promise<WithResponse<Data>>,
): Promise<WithResponse<Data>> {
  const { name, method, path } = call.operation;
  const context: CallTrace = {
    operation: name,
    method,
    urlTemplate: path,
    ...serverOf(baseUrl),
    attempts: 0,
  };
  const give = await channel.tracePromise(async () => {
    try {
      const received = await work();
      const { response, requestId } = received;
      Object.assign(context, { attempts: call.attempts, status: response.status, requestId });
      // Returns a function because the channel shows this result to subscribers, who might log a contact.
      return () => received;
    } catch (error) {
      const { attempts, outcome } = call;
      const { status, requestId } = fieldsOf(error);
      Object.assign(context, { attempts, outcome, status, requestId });
      throw error;
    }
  }, context);
  return give();
}

function serverOf(baseUrl: string): Pick<CallTrace, 'serverAddress' | 'serverPort'> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const standardPort = protocol === 'https:' ? 443 : 80;
  return {
    serverAddress: hostname.replace(/^\[(.*)\]$/, '$1'),
    serverPort: port === '' ? standardPort : Number(port),
  };
}
