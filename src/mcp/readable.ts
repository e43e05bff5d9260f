/** The largest result of a tool, in characters of JSON. */
export const largestResponse = 20_000;

/** How many characters a text may have for each item that a list may have. */
const textPerItem = 20;

/** What a tool found, or what it says of lists with so many items at most. */
export type ToolOutput = object | ((most: number) => object);

/** The fields that hold instants in epoch milliseconds. */
const instants = /^(at|timestamp|next|machine|workspace|receiver|machineTime|receiverTime|\w+At)$/;

/** The fields with URLs of receivers. Headers have one in `Location`. */
const locations = /^(url|redirectedTo|headers)$/;

/** The fields whose content belongs to the workspace's users. */
const payloads = /^(properties|eventProperties|variables)$/;

/**
 * Writes a response as an agent reads it: instants in ISO 8601, and URLs without their queries. Shortens the longest texts
 * and lists, by halves, until the JSON has at most `largestResponse` characters. A list keeps its first items.
 *
 * @param first - Fields that come before the response.
 */
export function readable(response: ToolOutput, first: object, json: Json): string {
  let text = '';
  for (let most = largestResponse / textPerItem; most >= 1; most = Math.floor(most / 2)) {
    const step = { most, json, leftOut: 0 };
    const result = shown(typeof response === 'function' ? response(most) : response, '', step);
    const shortened = `${step.leftOut} items of lists were left out. Ask for less.`;
    text = json({ ...first, ...Object(result), ...(step.leftOut > 0 && { shortened }) });
    if (text.length <= largestResponse) break;
  }
  return text;
}

/** Writes a value as JSON, masked as far as it needs to be. */
type Json = (value: unknown) => string;

interface Step {
  readonly most: number;
  readonly json: Json;
  /** How many items of lists are missing. */
  leftOut: number;
}

function shown(value: unknown, name: string, step: Step): unknown {
  const { most, json } = step;
  if (typeof value === 'string') return shortened(locations.test(name) ? withoutQuery(value) : value, most);
  if (typeof value === 'number') {
    return instants.test(name) && value > 1e11 && value < 8e15 ? new Date(value).toISOString() : value;
  }
  if (Array.isArray(value)) {
    step.leftOut += Math.max(0, value.length - most);
    return value.slice(0, most).map((item) => shown(item, name, step));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (payloads.test(name)) {
    const text = json(value);
    const short = shortened(text, most);
    return short === text ? value : short;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, key, step)]));
}

/** The start of a text, and the number of the characters after it. */
function shortened(text: string, most: number): string {
  const longest = most * textPerItem;
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${text.length - longest} more characters)`;
}

/** A receiver's query may hold what only the receiver may know. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/**
 * A delivery with the length of its body in bytes. It leaves out the signatures, which cannot be verified with a masked body, and
 * responses in base64, in which nothing is masked.
 */
export function deliveryView({
  body,
  attempts,
  ...others
}: {
  body: string;
  attempts: readonly object[];
}): object {
  return {
    ...others,
    attempts: attempts.map((attempt) => ({
      ...attempt,
      signature: undefined,
      responseBodyBase64: undefined,
    })),
    bytes: new TextEncoder().encode(body).length,
    body,
  };
}
