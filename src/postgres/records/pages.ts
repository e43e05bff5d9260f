/** A table of records, for pages of it. */
export interface PagedTable<Kept> {
  readonly name: 'contacts' | 'deliveries' | 'events' | 'journey_runs' | 'sends';
  /** The name of a row in the SQL of `columns`, `size` and the conditions. */
  readonly row: string;
  readonly columns: string;
  /** The size of the row in bytes. */
  readonly size: string;
  readonly read: (row: unknown) => Kept;
}

/** An SQL condition, which can contain its value as `?`. It applies if the value is not undefined. */
export type Condition = readonly [sql: string, value: unknown];

/**
 * Returns the SQL of whether a text contains a name and its value, as `nameAndValue` writes them. It decodes no JSON, because that can
 * contain what a text column cannot. The index finds hashes, because a value can be too long for it.
 */
export function isWritten(text: string, name: string, wanted = '?'): string {
  return `:schema.hash_of(${text}, '${name}') = :schema.hash_of(${wanted}, '${name}') and strpos(${text}, ${wanted}) > 0`;
}

/** Returns a name and its value as in JSON. */
export function nameAndValue(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}
