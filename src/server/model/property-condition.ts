import type { PropertyValue } from '../../contract/contact.js';

/**
 * A condition on a property of a contact. A missing property only fulfills `exists: false`. The property `phone` is the
 * contact's phone.
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
  /** True for the same value. Arrays must have the same strings in the same order. */
  | { readonly property: string; readonly equals: PropertyValue }
  | { readonly property: string; readonly exists: boolean }
  /** True if the property is an array of strings that includes this one. */
  | { readonly property: string; readonly includes: string }
  /** `atLeast` and `below` compare a property that is a number. */
  | { readonly property: string; readonly atLeast: number }
  | { readonly property: string; readonly below: number };
