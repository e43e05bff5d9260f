import type { WebhookEventType } from '../../contract/delivery.js';
import type { Consent, QuotaSource } from './records.js';
import { StoreCause, StoreRefusedError, StoreUnavailableError } from './service-error.js';

/**
 * One entry of the reference server's log. It contains no API key, no secret, no complete phone number and no body.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ServerLogEntry } from 'messaging-automation/server';
 *
 * const entries: ServerLogEntry[] = [];
 * await using server = createReferenceServer({ log: (entry) => entries.push(entry) });
 * await server.fetch(new Request('http://localhost/api/v1/templates'));
 * console.log(entries[0]); // { type: 'request', method: 'GET', path: '/api/v1/templates', status: 401, … }
 * ```
 */
export type ServerLogEntry =
  | {
      /** The server responded to a request. */
      readonly type: 'request';
      /** ISO 8601, by the server's clock. */
      readonly time: string;
      /** The response header `X-Request-Id`. */
      readonly requestId: string;
      readonly method: string;
      /**
       * The path template, such as `/api/v1/contacts/:id`. An unknown path shows only the parts that look like names;
       * `***` replaces the others.
       */
      readonly path: string;
      /** The response status. Absent if a fault broke the connection or the client disconnected. */
      readonly status?: number;
      /** Why the server rejected the request, if it did: the error code, and the problem of each field. */
      readonly error?: string;
      /** The kinds of the injected faults, if any. */
      readonly faults?: readonly string[];
    }
  | {
      /** The server attempted a delivery. */
      readonly type: 'delivery';
      readonly time: string;
      readonly deliveryId: string;
      readonly subscriptionId: string;
      readonly event: WebhookEventType;
      /** 1 for the first. */
      readonly attempt: number;
      /** The status of the receiver's response, if there was one. */
      readonly status?: number;
      /** Why the attempt failed, if it did. */
      readonly error?: string;
      /** The kinds of the injected faults, if any. */
      readonly faults?: readonly string[];
      /** The result. `retrying`: another attempt follows. `cancelled`: the subscription was deleted. */
      readonly outcome: 'delivered' | 'retrying' | 'failed' | 'cancelled';
      /** When the next attempt is due, if there is one: ISO 8601, by the workspace's clock. */
      readonly nextAttempt?: string;
    }
  | {
      /** The workspace sent a template message. */
      readonly type: 'send';
      readonly time: string;
      readonly sendId: string;
      readonly templateId: string;
      readonly contactId: string;
      /** The phone, masked except for its last two digits. */
      readonly phone: string;
      readonly paidBy: QuotaSource;
      /** The journey run that sent the message, if the API did not. */
      readonly journeyRunId?: string;
    }
  | {
      /** The workspace accepted a tracked event. */
      readonly type: 'event';
      readonly time: string;
      readonly eventId: string;
      readonly event: string;
      readonly contactId: string;
    }
  | {
      /** A contact sent a message to the workspace. */
      readonly type: 'message';
      readonly time: string;
      readonly contactId: string;
      /** The phone, masked except for its last two digits. */
      readonly phone: string;
      /** The contact's new consent, if the message changed it. */
      readonly consent?: Consent;
    }
  | {
      /** A probable mistake, such as an event that no journey and no segment listens to. */
      readonly type: 'notice';
      readonly time: string;
      readonly message: string;
    }
  | {
      /** A journey run began, reached a wait, or ended. */
      readonly type: 'journey';
      readonly time: string;
      readonly journeyRunId: string;
      readonly journeyId: string;
      readonly contactId: string;
      readonly outcome: 'began' | 'waiting' | 'finished' | 'failed';
      /** When the wait of a waiting run ends: ISO 8601, by the workspace's clock. */
      readonly until?: string;
      /** Why the run failed, if it did. */
      readonly error?: string;
    }
  | {
      /** The server had an internal error, or its store fails: what happened and what to do. */
      readonly type: 'error';
      readonly time: string;
      readonly message: string;
      /** The code of what the store fails with, such as `28P01` or `ECONNREFUSED`. Each is logged once a minute at most. */
      readonly code?: string;
    };

/**
 * A callback that receives each log entry. The server ignores errors that it throws.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ServerLog } from 'messaging-automation/server';
 *
 * const log: ServerLog = (entry) => console.log(JSON.stringify(entry));
 * await using server = createReferenceServer({ log });
 * ```
 */
export type ServerLog = (entry: ServerLogEntry) => void;

/** Wraps a log so that its errors do not reach the server. */
export function harmless(log: ServerLog): ServerLog {
  return (entry) => {
    try {
      log(entry);
    } catch {
      // The log itself failed, so the error cannot be reported.
    }
  };
}

/** Returns a function that logs errors, if there is a log. A store tells its own causes. */
export function failureLog(log: ServerLog | undefined, now: () => number): (error: unknown) => void {
  return (error) => {
    if (isTold(error)) return;
    const about =
      error instanceof StoreCause ? { message: error.message, code: error.code } : { message: String(error) };
    log?.({ type: 'error', time: new Date(now()).toISOString(), ...about });
  };
}

/** Whether the store has told the cause of an error. */
export function isTold(error: unknown): boolean {
  const isOfStore = error instanceof StoreUnavailableError || error instanceof StoreRefusedError;
  return isOfStore && error.reason !== undefined;
}

/** Returns a name from a request if it is plain, else `***`. A plain name has fewer than seven digits in a row. */
export function nameInLog(name: string): string {
  return /^(?!.*\d{7})[\w.:-]{1,64}$/.test(name) ? name : '***';
}
