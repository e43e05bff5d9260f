/** Fills the placeholders of a template's text. A placeholder without a value stays. */
export function filled(body: string, values: Readonly<Record<string, string>>): string {
  return body.replace(/\{\{(\d+)\}\}/g, (placeholder, number) => values[Number(number)] || placeholder);
}
