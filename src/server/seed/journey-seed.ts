import type { PropertyValue } from '../../contract/contact.js';
import type { Duration } from '../control/duration.js';

/**
 * What a contact's property must be like. A property that the contact lacks meets no condition but `exists: false`.
 *
 * @example
 * ```ts
 * import type { PropertyCondition } from 'messaging-automation/server';
 *
 * const conditions: PropertyCondition[] = [
 *   { property: 'city', equals: 'Paris' },
 *   { property: 'orders', atLeast: 3 },
 *   { property: 'tags', includes: 'vip' },
 *   { property: 'email', exists: false },
 * ];
 * ```
 */
export type PropertyCondition =
  | { readonly property: string; readonly equals: PropertyValue }
  | { readonly property: string; readonly exists: boolean }
  /** For a property that is an array of strings. */
  | { readonly property: string; readonly includes: string }
  /** For a property that is a number. */
  | { readonly property: string; readonly atLeast: number }
  | { readonly property: string; readonly below: number };

/**
 * Where the value of a template's placeholder comes from: the text itself, a property of the contact, or a property of
 * the event that started the journey.
 *
 * @example
 * ```ts
 * import type { VariableSource } from 'messaging-automation/server';
 *
 * const variables: Record<string, VariableSource> = {
 *   '1': { contact: 'firstName' },
 *   '2': { event: 'orderId' },
 *   '3': 'https://example.com/help',
 * };
 * ```
 */
export type VariableSource = string | { readonly contact: string } | { readonly event: string };

/**
 * One step of a journey: a wait, a branch, or a send.
 *
 * @example
 * ```ts
 * import type { JourneyStepSeed } from 'messaging-automation/server';
 *
 * const steps: JourneyStepSeed[] = [
 *   { wait: '1h' },
 *   {
 *     branch: { segment: 'regulars' },
 *     then: [{ send: 'thank_you', variables: { '1': { contact: 'firstName' } } }],
 *     else: [{ send: 'welcome' }],
 *   },
 * ];
 * ```
 */
export type JourneyStepSeed =
  | { readonly wait: Duration }
  | {
      readonly branch: PropertyCondition | { readonly segment: string };
      readonly then?: readonly JourneyStepSeed[] | undefined;
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
