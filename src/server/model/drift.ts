/** The ways in which a shape can drift. */
export const driftChanges = ['remove', 'rename', 'retype', 'add', 'unknown_value'] as const;

/**
 * How the shape of a JSON body differs from what was agreed.
 *
 * @example
 * ```ts
 * import type { Drift } from 'messaging-automation/server';
 *
 * const renamed: Drift = { change: 'rename', field: 'properties.phone' };
 * const anything: Drift = {}; // chosen by the workspace's randomSeed
 * ```
 */
export interface Drift {
  /**
   * `remove` and `rename` a field, `retype` gives it a value of another type, `add` puts one more field beside it, and
   * `unknown_value` gives a text another text. Chosen by the workspace's `randomSeed` unless told.
   */
  readonly change?: 'remove' | 'rename' | 'retype' | 'add' | 'unknown_value' | undefined;
  /**
   * The field, as in `properties.phone` or `data[0].status`; chosen by the `randomSeed` unless told. A body without it
   * stays as it is.
   */
  readonly field?: string | undefined;
}
