/** The largest result of a tool, in characters of JSON. */
export const largestAnswer = 20_000;

/** How much of a result is kept, from everything down to the least. The first step that fits is used. */
const steps = [
  { text: 4_000, items: 200 },
  { text: 1_000, items: 50 },
  { text: 300, items: 20 },
  { text: 100, items: 10 },
  { text: 60, items: 3 },
  { text: 40, items: 1 },
] as const;

interface Step {
  readonly text: number;
  readonly items: number;
}

/** The fields that hold instants in epoch milliseconds. */
const instants = /^(at|timestamp|next|machine|workspace|receiver|machineTime|receiverTime|\w+At)$/;

/** The fields whose content belongs to the workspace's users. */
const payloads = /^(properties|eventProperties|variables)$/;

/**
 * A value as an agent reads it: instants in ISO 8601, URLs without their queries, and long texts and lists shortened so
 * that the JSON has at most `largestAnswer` characters. A list that was shortened keeps its first items.
 *
 * @param json - Writes the result. What counts is how long that is.
 */
export function readable(value: object, json: (value: unknown) => string): object {
  let shortest: object = {};
  for (const step of steps) {
    const leftOut = { items: 0 };
    shortest = Object(shown(value, '', step, leftOut));
    if (leftOut.items > 0) {
      shortest = { ...shortest, shortened: `${leftOut.items} items of lists were left out. Ask for less.` };
    }
    if (json(shortest).length <= largestAnswer) return shortest;
  }
  return shortest;
}

/** The most items of a list whose JSON fits into an answer, from its start or its end. Always at least one. */
export function fitting<Item>(items: readonly Item[], from: 'start' | 'end'): Item[] {
  const ordered = from === 'start' ? items : items.toReversed();
  let length = 0;
  const kept = ordered.filter((item, index) => {
    length += JSON.stringify(item).length;
    return index === 0 || length <= largestAnswer * 0.75;
  });
  return from === 'start' ? kept : kept.toReversed();
}

/** A text with at most so many characters, and the number of the others. */
export function shortened(text: string, longest: number): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${text.length - longest} more characters)`;
}

function shown(value: unknown, name: string, step: Step, leftOut: { items: number }): unknown {
  if (typeof value === 'string') return shortened(name === 'url' ? withoutQuery(value) : value, step.text);
  if (typeof value === 'number') {
    return instants.test(name) && value > 1e11 && value < 8e15 ? new Date(value).toISOString() : value;
  }
  if (Array.isArray(value)) {
    leftOut.items += Math.max(0, value.length - step.items);
    return value.slice(0, step.items).map((item) => shown(item, name, step, leftOut));
  }
  if (typeof value !== 'object' || value === null) return value;
  // A user's own field may be called createdAt, too.
  const nameOf = (key: string) => (payloads.test(name) ? name : key);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shown(item, nameOf(key), step, leftOut)]),
  );
}

/** A receiver's query may hold what only the receiver may know. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
