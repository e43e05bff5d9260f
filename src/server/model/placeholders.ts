/** A placeholder in a template's body: a number in double braces. */
export const placeholder = /\{\{(\d+)\}\}/g;

/** Returns the numbers of the placeholders in a template's body, as strings, in ascending order. */
export function placeholdersOf(body: string): readonly string[] {
  const numbers = new Set([...body.matchAll(placeholder)].map(([, number]) => Number(number)));
  return [...numbers].sort((a, b) => a - b).map(String);
}
