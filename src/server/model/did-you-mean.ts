import leven from 'leven';

/** Nobody mistypes a longer name by hand, and comparing it would take its time. */
const longestName = 100;

/** Of the names that there are, the one that was probably meant by one that there is not. */
export function closestTo(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  // One slip for each four letters, and one more: `template` is close to `templateId`, `x` is close to nothing.
  const allowed = 1 + Math.floor(name.length / 4);
  const [closest] = [...known]
    .filter((candidate) => candidate.length <= longestName)
    .map((candidate) => ({ candidate, slips: leven(name, candidate) }))
    .filter(({ candidate, slips }) => slips <= allowed && slips < candidate.length)
    .sort((one, other) => one.slips - other.slips);
  return closest?.candidate;
}

/** The same as the end of a sentence: `; did you mean order_placed?`, or a full stop. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const closest = closestTo(name, known);
  return closest === undefined ? '.' : `; did you mean ${closest}?`;
}
