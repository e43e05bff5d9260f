import { attempt, builtinModule } from '../../foundation/runtime.js';
import type { Outcome } from '../errors/request-error.js';

/**
 * The message of the tracing channel `messaging-automation:call`. Each call has one object, which all events of the
 * call share. It identifies neither the contact nor the content.
 *
 * @example
 * ```ts
 * import { tracingChannel } from 'node:diagnostics_channel';
 * import { type CallTrace, MessagingAutomation } from 'messaging-automation';
 *
 * const channel = tracingChannel('messaging-automation:call');
 * channel.asyncEnd.subscribe((message) => {
 *   const { operation, status, attempts } = message as CallTrace;
 *   console.log(operation, status, attempts);
 * });
 * await new MessagingAutomation().templates.list();
 * ```
 */
export interface CallTrace {
  /** The resource and the verb of the call, such as `contacts.upsert`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path without its values, relative to the base URL, such as `/v1/contacts/:id`. */
  readonly urlTemplate: string;
  /** The host of the base URL. Empty if the client has none, and so makes no request. */
  readonly serverAddress: string;
  /** The port of the base URL. Default: 443 for `https`, 80 for `http`. */
  readonly serverPort: number;
  /** How many attempts the call made. 0 until the call has ended. */
  readonly attempts: number;
  /** The HTTP status of the last response, if one arrived. */
  readonly status?: number | undefined;
  /** The service's id of the request, from the response header `x-request-id`. */
  readonly requestId?: string | undefined;
  /** What became of the request, when the call failed. */
  readonly outcome?: Outcome | undefined;
  /** What the call rejected with: a {@link RequestError}, or the reason of your own signal. */
  readonly error?: unknown;
}

const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

/** The part of Node's `TracingChannel` that this package uses. */
export interface TracingChannel
  extends Readonly<Record<(typeof events)[number], { readonly hasSubscribers: boolean }>> {
  tracePromise<Result>(work: () => Promise<Result>, context: object): Promise<Result>;
}

let found: { readonly channel: TracingChannel | undefined } | undefined;

/** The channel if it has subscribers. Without subscribers, a call skips tracing entirely. */
export function subscribedChannel(): TracingChannel | undefined {
  found ??= { channel: findChannel() };
  const { channel } = found;
  // Some runtimes do not report subscribers of the whole tracing channel.
  const hasSubscribers = channel && attempt(() => events.some((event) => channel[event].hasSubscribers));
  return hasSubscribers ? channel : undefined;
}

/**
 * Looks the module up at run time instead of importing it, so that this file loads on runtimes without Node modules.
 */
function findChannel(): TracingChannel | undefined {
  const { tracingChannel }: { tracingChannel?: (name: string) => TracingChannel } = Object(
    builtinModule('node:diagnostics_channel'),
  );
  const channel = attempt(() => tracingChannel?.('messaging-automation:call'));
  return typeof channel?.tracePromise === 'function' ? channel : undefined;
}
