import { builtinModule } from '../../foundation/builtin.js';
import type { Outcome } from '../errors/request-error.js';

/**
 * What subscribers to the tracing channel `messaging-automation:call` are given: one object for each call, the same
 * one in all its events. Nothing in it tells whom the call concerns or what it carries.
 *
 * @example
 * ```ts
 * import { tracingChannel } from 'node:diagnostics_channel';
 * import { type CallTrace, MessagingAutomation } from 'messaging-automation';
 *
 * const channel = tracingChannel<unknown, CallTrace>('messaging-automation:call');
 * channel.asyncEnd.subscribe((message) => {
 *   const { operation, status, attempts } = message as CallTrace;
 *   console.log(operation, status, attempts);
 * });
 * await new MessagingAutomation().templates.list();
 * ```
 */
export interface CallTrace {
  /** Resource and verb of the call, as in `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path without its values, as in `/v1/contacts/:id`; relative to the base URL. */
  readonly urlTemplate: string;
  /** The host of the base URL. */
  readonly serverAddress: string;
  /** The port of the base URL, also where it does not say one. */
  readonly serverPort: number;
  /** How many attempts were made; 0 until the call is over. */
  readonly attempts: number;
  /** The HTTP status of the last answer, where one came. */
  readonly status?: number | undefined;
  /** The service's id of the request, where the answer carried one. */
  readonly requestId?: string | undefined;
  /** What became of the request, when the call failed. */
  readonly outcome?: Outcome | undefined;
  /** What the call rejected with: a {@link RequestError}, or the reason of the caller's own signal. */
  readonly error?: unknown;
}

/** Of Node's `TracingChannel`, what is used here. */
export interface TracingChannel extends Readonly<Record<TracingEvent, { readonly hasSubscribers: boolean }>> {
  tracePromise<Result>(work: () => Promise<Result>, context: object): Promise<Result>;
}

type TracingEvent = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error';

let sought = false;
let found: TracingChannel | undefined;

/** The channel, where somebody listens to it; where nobody does, a call is spared all of this. */
export function subscribedChannel(): TracingChannel | undefined {
  if (!sought) {
    found = findChannel();
    sought = true;
  }
  return found && hasSubscribers(found) ? found : undefined;
}

/** Asked of each of the five: not every runtime answers for the tracing channel as a whole. */
function hasSubscribers({ start, end, asyncStart, asyncEnd, error }: TracingChannel): boolean {
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}

/** Asked of the process rather than imported, so that this loads where there is no Node. */
function findChannel(): TracingChannel | undefined {
  const diagnostics = builtinModule('node:diagnostics_channel');
  if (!hasMethod(diagnostics, 'tracingChannel')) return undefined;
  const channel = diagnostics.tracingChannel('messaging-automation:call');
  return isTracingChannel(channel) ? channel : undefined;
}

function isTracingChannel(value: unknown): value is TracingChannel {
  return hasMethod(value, 'tracePromise');
}

function hasMethod<Name extends string>(
  value: unknown,
  name: Name,
): value is Record<Name, (argument: string) => unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}
