import type { PropertyValue } from '../../contract/contact.js';

/**
 * A condition on a contact's property. A missing property meets only `exists: false`. The property `phone` is the
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
  /** The same value; for an array, the same texts in the same order. */
  | { readonly property: string; readonly equals: PropertyValue }
  | { readonly property: string; readonly exists: boolean }
  /** For a property that is an array of strings. */
  | { readonly property: string; readonly includes: string }
  /** For a property that is a number. */
  | { readonly property: string; readonly atLeast: number }
  | { readonly property: string; readonly below: number };
