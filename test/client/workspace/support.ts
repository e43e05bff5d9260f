import type { StandardResult, StandardSchema } from 'messaging-automation';

/** A schema of no library: what follows the specification is enough. */
export function schemaOf<Output>(
  validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>,
): StandardSchema<unknown, Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
