/**
 * Whether a schema can have this name. The longest identifier is 63 bytes, and the second schema adds `_jobs`. Text between two
 * `$$` would end at one in the name, and PostgreSQL keeps the names with `pg_` for itself.
 */
export function isSchemaName(name: unknown): boolean {
  return typeof name === 'string' && /^(?!pg_)[^\0$]+$/.test(name) && Buffer.byteLength(name) <= 58;
}

/** Returns the name of the schema of the jobs. */
export function jobsSchemaOf(schema: string): string {
  return `${schema}_jobs`;
}

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL, whatever `standard_conforming_strings` is: text with a backslash uses the E'' syntax. */
export function quotedText(text: string): string {
  const inQuotes = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? ` E${inQuotes}` : inQuotes;
}

/** Characters that a text column cannot contain: NUL and lone surrogates. A backslash escapes them. */
const unwritable = /[\\\0\p{Surrogate}]/gu;

/** Escapes a text so that a text column can contain it. Most texts stay unchanged. */
export function toText(text: string): string {
  return text.replace(
    unwritable,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Restores a text that `toText` escaped. */
export function fromText(written: string): string {
  return written.replace(/\\([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Writes a value of a composite type. */
export function composite(fields: readonly (string | number | boolean | null)[]): string {
  const written = fields.map((field) =>
    field === null ? '' : `"${String(field).replaceAll('\\', '\\\\').replaceAll('"', '""')}"`,
  );
  return `(${written.join()})`;
}

/**
 * Writes the SQL for the rows of several lists, with their index as the last column.
 *
 * Each list is a subquery, so that the planner does not see its length and assumes ten rows. If it saw a thousand rows, it might
 * read a whole table instead of a thousand lookups, and for ten rows it prepares a plan once for all lengths.
 */
export function rowsOf(...lists: readonly string[]): string {
  return `unnest(${lists.map((list) => `(select ${list})`).join(', ')}) with ordinality`;
}

/** Writes the SQL that makes `last_place` wait for this transaction, which numbers rows of a workspace. The row of the workspace is `w`. */
export const lockPlaces = 'pg_advisory_xact_lock_shared(w.tableoid::int, hashint8(w.number))';
