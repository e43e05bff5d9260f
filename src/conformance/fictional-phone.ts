/**
 * A phone number that no person has: in the North American numbering plan, 555-0100 to 555-0199 are reserved for fiction in
 * every area code. The area codes drawn here have no digit below 2, so none is a service code.
 *
 * @param random A number from 0 up to, but not including, 1.
 */
export function fictionalPhone(random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const area = [below(8) + 2, below(8) + 2, below(8) + 2].join('');
  return `+1${area}55501${String(below(100)).padStart(2, '0')}`;
}
