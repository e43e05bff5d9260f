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
