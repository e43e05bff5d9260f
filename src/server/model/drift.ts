/** The possible changes of a body's shape. */
export const driftChanges = ['remove', 'rename', 'retype', 'add', 'unknown_value'] as const;

/**
 * How the shape of a JSON body differs from the contract.
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
   * What happens to the field: `remove` and `rename` do what they say, `retype` gives it a value of another type, `add`
   * puts one more field beside it, and `unknown_value` replaces its text. Default: the workspace's `randomSeed` decides.
   */
  readonly change?: 'remove' | 'rename' | 'retype' | 'add' | 'unknown_value' | undefined;
  /**
   * The field, as in `properties.phone` or `data[0].status`. A body without this field stays as it is. Default: the
   * workspace's `randomSeed` decides.
   */
  readonly field?: string | undefined;
}
