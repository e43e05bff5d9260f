import type { OperationName } from '../../contract/operation-name.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { Duration } from '../time/duration.js';

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** The possible changes of a body's shape. */
export const driftChanges = ['remove', 'rename', 'retype', 'add', 'unknown_value'] as const;

/** A change of the shape of a JSON body, so that it differs from the contract. What is not set is chosen by the workspace's `randomSeed`. */
export type ShapeChange = {
  /**
   * What happens to the field. `remove` and `rename` do what they say. `retype` replaces its value with one of another type.
   * `add` adds an unknown field next to it. `unknown_value` replaces its text. Default: chosen by the workspace's `randomSeed`.
   */
  readonly change?: 'remove' | 'rename' | 'retype' | 'add' | 'unknown_value' | undefined;
  /**
   * The field, as in `properties.phone` or `data[0].status`. A body without this field stays unchanged. Default:
   * chosen by the workspace's `randomSeed`.
   */
  readonly field?: string | undefined;
};

/**
 * When a fault affects a request. `before_commit`: the service does not process the request, so nothing changes.
 * `after_commit`: the service processes the request and keeps its changes. Only the response fails.
 */
export type RequestFaultMoment = 'before_commit' | 'after_commit';

/**
 * When a fault affects a delivery attempt. `before_receipt`: the receiver does not get the delivery. `after_receipt`: the
 * receiver gets the delivery and responds, but the service does not see the response.
 */
export type DeliveryFaultMoment = 'before_receipt' | 'after_receipt';

/**
 * A fault that affects a request.
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
      /** Returns an error instead of the normal response. */
      readonly kind: 'status';
      /** From 300 to 599. */
      readonly status: number;
      /** The error code. Default: the contract's code for the status, or `injected_fault` if it has none. */
      readonly code?: string | undefined;
      /** Replaces the usual error body. A string is sent as plain text, any other value as JSON. Default: the usual error body. */
      readonly body?: JsonValue | undefined;
      /** Further headers of the response. Default: none. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** The header `Retry-After`, in whole seconds, rounded up. Default: none. */
      readonly retryAfter?: Duration | undefined;
      /** Default: `before_commit`. */
      readonly when?: RequestFaultMoment | undefined;
    }
  | {
      /** Returns 429 `rate_limited` with `Retry-After`. The service does not process the request. */
      readonly kind: 'rate_limit';
      /** The header `Retry-After`, in whole seconds, rounded up. Default: 1 second. */
      readonly retryAfter?: Duration | undefined;
    }
  | {
      /** Delays the response. The workspace's clock measures the delay. With a frozen clock, the delay ends when you advance the clock. */
      readonly kind: 'latency';
      readonly duration: Duration;
      /** Whether the delay comes before or after the service processes the request. Default: `before_commit`. */
      readonly when?: RequestFaultMoment | undefined;
    }
  | {
      /** Breaks the connection without a response. */
      readonly kind: 'reset';
      readonly when: RequestFaultMoment;
    }
  | {
      /**
       * Processes the request, sends the headers and half of the body, and then sends nothing until the client disconnects or
       * the server closes. Sends nothing at all if the response has no body.
       */
      readonly kind: 'stall';
    }
  | {
      /** Processes the request and cuts the response body in half. */
      readonly kind: 'malformed_json';
    }
  | ({
      /** Processes the request and changes the shape of the response body. */
      readonly kind: 'drift';
    } & ShapeChange);

/**
 * A fault that affects a delivery attempt.
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
      /** The service sees this status instead of the receiver's status. */
      readonly kind: 'status';
      /** From 200 to 599. A 2xx counts as acknowledged: with `before_receipt` the delivery is lost. */
      readonly status: number;
      /** Default: `before_receipt`, which does not contact the receiver. */
      readonly when?: DeliveryFaultMoment | undefined;
    }
  | {
      /** Delays the attempt. The workspace's clock measures the delay. */
      readonly kind: 'latency';
      readonly duration: Duration;
    }
  | {
      /** No response arrives, and the attempt fails at its timeout of 5 seconds, by the workspace's clock. */
      readonly kind: 'stall';
      /** Default: `before_receipt`. */
      readonly when?: DeliveryFaultMoment | undefined;
    }
  | {
      /** Breaks the connection, so the attempt fails. With `after_receipt`, the retry is a duplicate for the receiver. */
      readonly kind: 'reset';
      readonly when: DeliveryFaultMoment;
    }
  | {
      /** Cuts the body in half and signs it correctly. */
      readonly kind: 'malformed_json';
    }
  | ({
      /** Changes the shape of the body and signs it correctly. */
      readonly kind: 'drift';
    } & ShapeChange)
  | {
      /** Changes the signature or the body after signing. A receiver must reject the delivery. */
      readonly kind: 'tamper';
      /** What changes after signing. Default: `signature`. */
      readonly part?: 'signature' | 'body' | undefined;
    }
  | {
      /** Sends the same bytes and signature twice. The first response decides the result of the attempt. */
      readonly kind: 'duplicate';
      /** Sends both at the same time. Default: false, one after the other. */
      readonly concurrent?: boolean | undefined;
    }
  | {
      /** Delays the attempt until another delivery to the same subscription has been attempted. */
      readonly kind: 'reorder';
      /** The longest delay, by the workspace's clock. Default: 1 minute. */
      readonly atMost?: Duration | undefined;
    };

/**
 * Limits which of the matching requests or attempts a fault affects. Default: all of them. If several fields are set, all
 * must hold.
 *
 * @example
 * ```ts
 * import type { FaultSelection } from 'messaging-automation/server';
 *
 * const theSecond: FaultSelection = { nth: 2 };
 * const everyThird: FaultSelection = { every: 3 };
 * const theFirstTwo: FaultSelection = { times: 2 };
 * const oneInTen: FaultSelection = { probability: 0.1 };
 * ```
 */
export interface FaultSelection {
  /** Only the nth, counted from 1. */
  readonly nth?: number | undefined;
  /** Every nth: 2 affects every second one. */
  readonly every?: number | undefined;
  /** At most this many. */
  readonly times?: number | undefined;
  /** Each one with this probability, from 0 to 1. The same `randomSeed` of the workspace repeats the same choices. */
  readonly probability?: number | undefined;
}

/** A rule that injects a fault into requests. */
export interface RequestFaultRule extends FaultSelection {
  /** The operation whose requests the rule matches, or `any`. */
  readonly operation: OperationName | 'any';
  readonly fault: RequestFault;
  readonly delivery?: never;
}

/** A rule that injects a fault into attempts of webhook deliveries. Each retry is an attempt too. */
export interface DeliveryFaultRule extends FaultSelection {
  /** The event type whose deliveries the rule matches, or `any`. */
  readonly delivery: WebhookEventType | 'any';
  /** Matches only deliveries to this subscription. Default: any subscription. */
  readonly subscriptionId?: string | undefined;
  readonly fault: DeliveryFault;
  readonly operation?: never;
}

/**
 * A rule that injects a fault into matching requests or deliveries. It is plain data, so you can keep it in a YAML or JSON
 * file.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type FaultRule } from 'messaging-automation/server';
 *
 * const faults: FaultRule[] = [
 *   { operation: 'any', probability: 0.1, fault: { kind: 'rate_limit', retryAfter: '1s' } },
 *   { delivery: 'any', every: 2, fault: { kind: 'reset', when: 'after_receipt' } },
 * ];
 * await using server = createReferenceServer({ randomSeed: 7, faults });
 * ```
 */
export type FaultRule = RequestFaultRule | DeliveryFaultRule;
