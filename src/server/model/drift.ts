/** The possible changes of a body's shape. */
export const driftChanges = ['remove', 'rename', 'retype', 'add', 'unknown_value'] as const;

/**
 * A change of the shape of a JSON body, so that it differs from the contract.
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
   * What happens to the field. `remove` and `rename` do what they say. `retype` replaces its value with one of another type.
   * `add` adds an unknown field next to it. `unknown_value` replaces its text. Default: chosen by the workspace's `randomSeed`.
   */
  readonly change?: 'remove' | 'rename' | 'retype' | 'add' | 'unknown_value' | undefined;
  /**
   * The field, as in `properties.phone` or `data[0].status`. A body without this field stays unchanged. Default:
   * chosen by the workspace's `randomSeed`.
   */
  readonly field?: string | undefined;
}
