/** The text of a template with the values that are there. A placeholder without a value stays. */
export function filled(body: string, values: Readonly<Record<string, string>>): string {
  return body.replace(/\{\{(\d+)\}\}/g, (placeholder, number) => values[Number(number)] || placeholder);
}
