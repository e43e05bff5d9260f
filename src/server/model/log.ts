import type { WebhookEventType } from '../../contract/delivery.js';
import type { Consent, QuotaSource } from './records.js';

/**
 * One line of the reference server's log. It holds no key, no secret, no whole phone number and no body.
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
      /** A request was answered. */
      readonly type: 'request';
      /** ISO 8601, by the server's clock. */
      readonly time: string;
      /** As in the answer's header `X-Request-Id`. */
      readonly requestId: string;
      readonly method: string;
      /**
       * The path template, such as `/api/v1/contacts/:id`. Of a path where nothing is served, the parts that
       * look like names; `***` stands for the others.
       */
      readonly path: string;
      /** Absent where a fault broke the connection in place of an answer, or nobody waited for one any more. */
      readonly status?: number;
      /** Why it was refused, where it was: the error's code, and which field is wrong in what way. */
      readonly error?: string;
      /** The kinds of the faults that were injected, where there were any. */
      readonly faults?: readonly string[];
    }
  | {
      /** A delivery was attempted. */
      readonly type: 'delivery';
      readonly time: string;
      readonly deliveryId: string;
      readonly subscriptionId: string;
      readonly event: WebhookEventType;
      /** 1 for the first. */
      readonly attempt: number;
      /** The receiver's status, where it answered. */
      readonly status?: number;
      /** Why the attempt failed, where it did. */
      readonly error?: string;
      /** The kinds of the faults that were injected, where there were any. */
      readonly faults?: readonly string[];
      /** What follows: nothing, another attempt, or no more attempts, be it that its subscription was deleted. */
      readonly outcome: 'delivered' | 'retrying' | 'failed' | 'cancelled';
      /** When the next attempt comes, where one does: ISO 8601, by the workspace's clock. */
      readonly nextAttempt?: string;
    }
  | {
      /** A template message was sent. */
      readonly type: 'send';
      readonly time: string;
      readonly sendId: string;
      readonly templateId: string;
      readonly contactId: string;
      /** The last two digits of it. */
      readonly phone: string;
      readonly paidBy: QuotaSource;
      /** The journey run that sent it, where it was not the API. */
      readonly journeyRunId?: string;
    }
  | {
      /** An event was tracked. */
      readonly type: 'event';
      readonly time: string;
      readonly eventId: string;
      readonly event: string;
      readonly contactId: string;
    }
  | {
      /** A contact wrote to the workspace. */
      readonly type: 'message';
      readonly time: string;
      readonly contactId: string;
      /** The last two digits of it. */
      readonly phone: string;
      /** The consent that the message changed, where it did. */
      readonly consent?: Consent;
    }
  | {
      /** Something is probably not as it was meant, such as an event that no journey and no segment listens to. */
      readonly type: 'notice';
      readonly time: string;
      readonly message: string;
    }
  | {
      /** A contact's run through a journey began, came to a wait, or ended. */
      readonly type: 'journey';
      readonly time: string;
      readonly journeyRunId: string;
      readonly journeyId: string;
      readonly contactId: string;
      readonly outcome: 'began' | 'waiting' | 'finished' | 'failed';
      /** When the wait is over, for one that waits: ISO 8601, by the workspace's clock. */
      readonly until?: string;
      /** Why it failed, where it did. */
      readonly error?: string;
    }
  | {
      /** Something went wrong inside the server. */
      readonly type: 'error';
      readonly time: string;
      readonly message: string;
    };

/**
 * Takes the log's entries, one at a time. What it throws is ignored.
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

/** A log whose failure does not become the failure of what it logs. */
export function harmless(log: ServerLog): ServerLog {
  return (entry) => {
    try {
      log(entry);
    } catch {
      // There is nowhere left to tell of it.
    }
  };
}

/** A name that somebody gave, as it may stand in the log: what is no plain name may hold anything. */
export function nameInLog(name: string): string {
  return /^(?!.*\d{7})[\w.:-]{1,64}$/.test(name) ? name : '***';
}
