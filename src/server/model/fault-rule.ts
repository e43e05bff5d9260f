import type { OperationName } from '../../contract/operation-name.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { DeliveryFault, RequestFault } from './fault.js';

/**
 * Which of the rule's requests or attempts the fault strikes. Default: each. If you give several fields, all must
 * match.
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
  /** Every nth: 2 strikes every second one. */
  readonly every?: number | undefined;
  /** At most this many. */
  readonly times?: number | undefined;
  /** Each with this probability, from 0 to 1. The workspace's `randomSeed` makes it repeatable. */
  readonly probability?: number | undefined;
}

/**
 * Injects a fault into requests.
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
  /** The operation to strike, or `any`. */
  readonly operation: OperationName | 'any';
  readonly fault: RequestFault;
  readonly delivery?: never;
}

/**
 * Injects a fault into attempts of webhook deliveries. Each retry is an attempt too.
 *
 * @example
 * ```ts
 * import type { DeliveryFaultRule } from 'messaging-automation/server';
 *
 * const rule: DeliveryFaultRule = { delivery: 'message.received', probability: 0.2, fault: { kind: 'duplicate' } };
 * ```
 */
export interface DeliveryFaultRule extends FaultSelection {
  /** The event type whose deliveries to strike, or `any`. */
  readonly delivery: WebhookEventType | 'any';
  /** Strikes only deliveries to this subscription. */
  readonly subscriptionId?: string | undefined;
  readonly fault: DeliveryFault;
  readonly operation?: never;
}

/**
 * Which fault strikes which requests or deliveries. A rule is plain data, which fits into a YAML or JSON file.
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
