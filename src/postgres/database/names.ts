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
