import type { OperationName } from '../../contract/operation-name.js';
import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { DeliveryFault, RequestFault } from './fault.js';

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
