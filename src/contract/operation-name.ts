import { operations } from './operations.js';

/** Every name, in the order of the table. */
export const operationNames = namesIn(operations);

/**
 * The name of an endpoint: the client's resource and method.
 *
 * @useDeclaredType
 */
export type OperationName = (typeof operationNames)[number];

/**
 * The names by their positions in a table. The compiler writes the names into the published types, so that these types do not depend
 * on the table: its schemas use a library that users do not have.
 */
function namesIn<Table extends object>(
  table: Table,
): readonly {
  [Resource in keyof Table & string]: `${Resource}.${keyof Table[Resource] & string}`;
}[keyof Table & string][];
function namesIn(table: object): readonly string[] {
  return Object.entries(table).flatMap(([resource, verbs]) =>
    Object.keys(Object(verbs)).map((verb) => `${resource}.${verb}`),
  );
}
