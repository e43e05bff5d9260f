import type { StandardSchema } from 'messaging-automation';

/** A schema of no library: what follows the specification is enough. */
export function schemaOf<Output>(
  validate: StandardSchema<Output>['~standard']['validate'],
): StandardSchema<unknown, Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
