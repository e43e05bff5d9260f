/**
 * Any JSON value.
 *
 * @example
 * ```ts
 * import type { JsonValue } from 'messaging-automation/server';
 *
 * const body: JsonValue = { error: { code: 'maintenance', until: null } };
 * ```
 */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
