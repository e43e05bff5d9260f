import type { PropertyCondition } from '../model/property-condition.js';
import type { VariableSource } from '../model/variable-source.js';
import type { Duration } from '../time/duration.js';

/**
 * One step of a journey: a wait, a branch, or a send. A branch runs `do` or `else`, and then the journey continues with
 * the next step. At most ten branches can nest.
 *
 * @example
 * ```ts
 * import type { JourneyStepSeed } from 'messaging-automation/server';
 *
 * const steps: JourneyStepSeed[] = [
 *   { wait: '1h' },
 *   {
 *     branch: { segment: 'regulars' },
 *     do: [{ send: 'thank_you', variables: { '1': { contact: 'firstName' } } }],
 *     else: [{ send: 'welcome' }],
 *   },
 * ];
 * ```
 */
export type JourneyStepSeed =
  /** Waits this long. Maximum: ten years. */
  | { readonly wait: Duration }
  | {
      /** The condition. The server checks it when the step runs. */
      readonly branch: PropertyCondition | { readonly segment: string };
      /** The steps if the condition is true. The name is not `then`, because linters treat such an object as a promise. */
      readonly do?: readonly JourneyStepSeed[] | undefined;
      /** The steps if the condition is false. */
      readonly else?: readonly JourneyStepSeed[] | undefined;
    }
  | {
      /** The template's id. */
      readonly send: string;
      readonly variables?: Readonly<Record<string, VariableSource>> | undefined;
    };

/**
 * A journey: the steps that run after an event. Each event with this name starts a new run for its contact.
 *
 * @example
 * ```ts
 * import type { JourneySeed } from 'messaging-automation/server';
 *
 * const journey: JourneySeed = {
 *   id: 'order_follow_up',
 *   event: 'order_placed',
 *   steps: [{ wait: '1d' }, { send: 'how_was_it', variables: { '1': { event: 'orderId' } } }],
 * };
 * ```
 */
export interface JourneySeed {
  readonly id: string;
  /** The name of the event that starts the journey. */
  readonly event: string;
  readonly steps: readonly JourneyStepSeed[];
}
