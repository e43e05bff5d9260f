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
 * The names by the places in a table. The compiler writes them out in the published types, which so need nothing of the
 * table itself: the schemas in it are of a library that no user has.
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
