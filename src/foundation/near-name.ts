/** Two names are close if they share at least this part of their pairs. */
const close = 0.5;

/** How many letters of a name are compared. Longer names are no typos, and comparing them is slow. */
const compared = 60;

/** The known name that is closest to an unknown one. `undefined` if none is close. */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  return nearest(known, (each) => likeness(name, each));
}

/** Words that follow what is wrong with a name: the name that is likely meant, or else `otherwise`. */
export function doYouMean(name: string, known: Iterable<string>, otherwise = ''): string {
  const near = nearName(name, known);
  return near === undefined ? otherwise : ` (do you mean ${near}?)`;
}

/** The name with the greatest likeness, and the first of several. `undefined` if none is close. */
export function nearest(names: Iterable<string>, likenessOf: (name: string) => number): string | undefined {
  const [best] = [...names]
    .filter((name) => likenessOf(name) >= close)
    .sort((one, other) => likenessOf(other) - likenessOf(one));
  return best;
}

/** How many of their pairs of letters two names share, from 0 to 1. Their cases do not count. */
export function likeness(one: string, other: string): number {
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const shared = pairs.filter((pair) => others.includes(pair));
  return (2 * shared.length) / (pairs.length + others.length);
}

/** The pairs of neighbours in a name. Each is in the order of the alphabet, so that two swapped letters are a small slip. */
function pairsOf(name: string): readonly string[] {
  const letters = ` ${name.slice(0, compared).toLowerCase()} `;
  return Array.from(letters.slice(1), (letter, place) => [letters.charAt(place), letter].sort().join(''));
}
