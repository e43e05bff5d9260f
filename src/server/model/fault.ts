import type { Duration } from '../time/duration.js';
import type { Drift } from './drift.js';
import type { JsonValue } from './json-value.js';

/**
 * On which side of what a request does a fault strikes. `before_commit`: the service's rule does not run, and nothing
 * is changed. `after_commit`: it has run, and what it changed stays; only the answer goes wrong.
 *
 * @example
 * ```ts
 * import type { RequestFault, RequestFaultMoment } from 'messaging-automation/server';
 *
 * const resetAt = (when: RequestFaultMoment): RequestFault => ({ kind: 'reset', when });
 * ```
 */
export type RequestFaultMoment = 'before_commit' | 'after_commit';

/**
 * On which side of what a receiver does a fault strikes. `before_receipt`: the receiver never sees the attempt.
 * `after_receipt`: it has got the delivery and answered, but the service does not see the answer.
 *
 * @example
 * ```ts
 * import type { DeliveryFault, DeliveryFaultMoment } from 'messaging-automation/server';
 *
 * const resetAt = (when: DeliveryFaultMoment): DeliveryFault => ({ kind: 'reset', when });
 * ```
 */
export type DeliveryFaultMoment = 'before_receipt' | 'after_receipt';

/**
 * What can go wrong with a request.
 *
 * @example
 * ```ts
 * import type { RequestFault } from 'messaging-automation/server';
 *
 * const faults: RequestFault[] = [
 *   { kind: 'status', status: 503, retryAfter: '2s' },
 *   { kind: 'reset', when: 'after_commit' },
 *   { kind: 'drift', change: 'remove', field: 'id' },
 * ];
 * ```
 */
export type RequestFault =
  | {
      /** An error in place of the answer. */
      readonly kind: 'status';
      /** From 300 to 599. */
      readonly status: number;
      /** The error's code; the one that the contract has for the status, else `injected_fault`. */
      readonly code?: string | undefined;
      /** The body, in place of the usual error: text goes out as it is, everything else as JSON. */
      readonly body?: JsonValue | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** For the header `Retry-After`, in whole seconds, rounded up. */
      readonly retryAfter?: Duration | undefined;
      /** `before_commit` unless told. */
      readonly when?: RequestFaultMoment | undefined;
    }
  | {
      /** 429 `rate_limited` with `Retry-After`. The rule does not run. */
      readonly kind: 'rate_limit';
      /** For the header `Retry-After`, in whole seconds, rounded up; one second unless told. */
      readonly retryAfter?: Duration | undefined;
    }
  | {
      /** A wait, by the workspace's clock: on a frozen one until a test moves it. */
      readonly kind: 'latency';
      readonly duration: Duration;
      /** Before the rule runs, or between that and the answer; `before_commit` unless told. */
      readonly when?: RequestFaultMoment | undefined;
    }
  | {
      /** The connection breaks, and no answer comes. */
      readonly kind: 'reset';
      readonly when: RequestFaultMoment;
    }
  | {
      /**
       * The rule runs; the headers and half of the body go out, then nothing more until the client gives up or the
       * server closes. Of an answer without a body nothing goes out at all.
       */
      readonly kind: 'stall';
    }
  | {
      /** The rule runs; the body of the answer is cut in half. */
      readonly kind: 'malformed_json';
    }
  | ({
      /** The rule runs; the body of the answer has another shape. */
      readonly kind: 'drift';
    } & Drift);

/**
 * What can go wrong with an attempt at a delivery.
 *
 * @example
 * ```ts
 * import type { DeliveryFault } from 'messaging-automation/server';
 *
 * const faults: DeliveryFault[] = [
 *   { kind: 'duplicate' },
 *   { kind: 'reset', when: 'after_receipt' },
 *   { kind: 'tamper', part: 'signature' },
 * ];
 * ```
 */
export type DeliveryFault =
  | {
      /** The service sees this status, whatever the receiver answers. */
      readonly kind: 'status';
      /** From 200 to 599. A 2xx counts as acknowledged: with `before_receipt` the delivery is lost. */
      readonly status: number;
      /** `before_receipt` unless told: the receiver is not contacted. */
      readonly when?: DeliveryFaultMoment | undefined;
    }
  | {
      /** A wait before the attempt, by the workspace's clock. */
      readonly kind: 'latency';
      readonly duration: Duration;
    }
  | {
      /** No answer comes, and the attempt fails when the receiver's five seconds are over, by the workspace's clock. */
      readonly kind: 'stall';
      /** `before_receipt` unless told. */
      readonly when?: DeliveryFaultMoment | undefined;
    }
  | {
      /** The connection breaks, and the attempt fails. `after_receipt` makes the classic duplicate. */
      readonly kind: 'reset';
      readonly when: DeliveryFaultMoment;
    }
  | {
      /** The body is cut in half and rightly signed. */
      readonly kind: 'malformed_json';
    }
  | ({
      /** The body has another shape and is rightly signed. */
      readonly kind: 'drift';
    } & Drift)
  | {
      /** The signature and the body do not belong together: a receiver must refuse it. */
      readonly kind: 'tamper';
      /** What is changed after signing; `signature` unless told. */
      readonly part?: 'signature' | 'body' | undefined;
    }
  | {
      /** The same bytes and signature are delivered twice. The attempt is judged by the first answer. */
      readonly kind: 'duplicate';
      /** Both at the same time, not one after the other. */
      readonly concurrent?: boolean | undefined;
    }
  | {
      /** Held back until another delivery to the same subscription was attempted. */
      readonly kind: 'reorder';
      /** The longest that it is held back, by the workspace's clock; a minute unless told. */
      readonly atMost?: Duration | undefined;
    };
