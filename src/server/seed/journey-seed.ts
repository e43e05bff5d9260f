import type { PropertyCondition } from '../model/property-condition.js';
import type { VariableSource } from '../model/variable-source.js';
import type { Duration } from '../time/duration.js';

/**
 * One step of a journey: a wait, a branch, or a send. A branch goes one of two ways and then on with the step after it;
 * no more than ten branches may stand in one another.
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
  /** Ten years or less. */
  | { readonly wait: Duration }
  | {
      /** What is asked at the moment of the step. */
      readonly branch: PropertyCondition | { readonly segment: string };
      /** The steps where the answer is yes. It is no `then`: linters take what has one for a promise. */
      readonly do?: readonly JourneyStepSeed[] | undefined;
      /** The steps where it is no. */
      readonly else?: readonly JourneyStepSeed[] | undefined;
    }
  | {
      /** The template's id. */
      readonly send: string;
      readonly variables?: Readonly<Record<string, VariableSource>> | undefined;
    };

/**
 * What follows an event, step by step. Each event of that name starts the journey anew for its contact.
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
  /** The name of the event that starts it. */
  readonly event: string;
  readonly steps: readonly JourneyStepSeed[];
}
