import leven from 'leven';

/** The longest name to compare. Longer names are not typos, and comparing them is slow. */
const longestName = 100;

/** Finds the known name that is closest to an unknown one. */
export function closestTo(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  // One typo for every four letters, plus one: `template` is close to `templateId`, `x` is close to nothing.
  const allowed = 1 + Math.floor(name.length / 4);
  const [closest] = [...known]
    .filter((candidate) => candidate.length <= longestName)
    .map((candidate) => ({ candidate, slips: leven(name, candidate) }))
    .filter(({ candidate, slips }) => slips <= allowed && slips < candidate.length)
    .sort((one, other) => one.slips - other.slips);
  return closest?.candidate;
}

/** Returns the end of a sentence that suggests the closest name: `; did you mean order_placed?`, or a full stop. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const closest = closestTo(name, known);
  return closest === undefined ? '.' : `; did you mean ${closest}?`;
}
