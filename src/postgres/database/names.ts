/** The schema of the jobs. */
export function jobsSchemaOf(schema: string): string {
  return `${schema}_jobs`;
}

/** The name as SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The text as SQL, which a server reads in one way alone: text with a backslash says so. */
export function quotedText(text: string): string {
  const inQuotes = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? ` E${inQuotes}` : inQuotes;
}
