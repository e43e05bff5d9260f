import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { DeliveryFault, RequestFault } from './fault.js';
import type { OperationName } from './operation-name.js';

/**
 * Which of those that a rule is about its fault strikes: each, unless told. Where several of these are given, all of
 * them must hold.
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
  /** This one alone, counted from 1. */
  readonly nth?: number | undefined;
  /** Every second, every third, and so on. */
  readonly every?: number | undefined;
  /** So many, and then no more. */
  readonly times?: number | undefined;
  /** Each with this chance, from 0 to 1, drawn from the workspace's `randomSeed`. */
  readonly probability?: number | undefined;
}

/**
 * A fault for requests.
 *
 * @example
 * ```ts
 * import type { RequestFaultRule } from 'messaging-automation/server';
 *
 * const rule: RequestFaultRule = {
 *   operation: 'transactional.send',
 *   nth: 2,
 *   fault: { kind: 'reset', when: 'after_commit' },
 * };
 * ```
 */
export interface RequestFaultRule extends FaultSelection {
  /** The requests that it is about. */
  readonly operation: OperationName | 'any';
  readonly fault: RequestFault;
  readonly delivery?: never;
}

/**
 * A fault for attempts at webhook deliveries. A retry is an attempt like any other.
 *
 * @example
 * ```ts
 * import type { DeliveryFaultRule } from 'messaging-automation/server';
 *
 * const rule: DeliveryFaultRule = { delivery: 'message.received', probability: 0.2, fault: { kind: 'duplicate' } };
 * ```
 */
export interface DeliveryFaultRule extends FaultSelection {
  /** The deliveries that it is about. */
  readonly delivery: WebhookEventType | 'any';
  /** Those to this subscription alone. */
  readonly subscriptionId?: string | undefined;
  readonly fault: DeliveryFault;
  readonly operation?: never;
}

/**
 * What goes wrong, with what, and when: plain data, which a YAML or JSON file can hold.
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
