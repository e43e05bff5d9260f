/** A value of the contract in words: `opted_in` is `opted in`. */
export function inWords(value: string): string {
  return value.replaceAll('_', ' ');
}
