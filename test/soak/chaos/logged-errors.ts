/**
 * Errors of a replica whose connections or database were taken away, or that waits for a lock of a stopped replica until one of
 * the two timeouts ends the wait.
 */
const expected =
  /^(The server (cannot connect to|has lost a connection to) its database\.|The database has stopped a statement\..* \((57014|55P03)\b)/;

/** The same in the words of version 0.2.0, from which a soak can be upgraded. */
const expectedOf020 =
  /^StoreUnavailableError: (This replica has lost its connection to the database|The server cannot reach its database\.)/;

/** What a replica logs when the clock of its machine is far from that of the database. */
const unlikeClock = /^Error: The clock of this machine is [\d.]+ s ahead of that of the database\./;

/** Whether a replica has said that the clock of its machine is far off. */
export function tellsOfItsClock(log: string): boolean {
  return log.split('\n').some((line) => unlikeClock.test(String(entryIn(line).message)));
}

/**
 * Returns each different error in the log of a replica that the disruptions do not explain, with the time of the first and
 * how often it occurs.
 *
 * @param log - Lines of JSON, as `serve --json` prints them. The last one may be cut off.
 * @param spoilt - The ids of the rows that were spoilt by hand. A replica names them.
 */
export function unexpectedErrors(log: string, spoilt: readonly string[] = []): readonly string[] {
  const found = new Map<string, { readonly first: string; count: number }>();
  for (const line of log.split('\n')) {
    const { type, time, message } = entryIn(line);
    if (type !== 'error' || unlikeClock.test(String(message))) continue;
    if (expected.test(String(message)) || expectedOf020.test(String(message))) continue;
    if (spoilt.some((id) => String(message).includes(`The row "${id}" of `))) continue;
    const known = found.get(String(message));
    if (known === undefined) found.set(String(message), { first: String(time), count: 1 });
    else known.count += 1;
  }
  return [...found].map(([message, { first, count }]) => `${count} times, first at ${first}: ${message}`);
}

function entryIn(line: string): Readonly<Record<string, unknown>> {
  // Most lines are about something else.
  if (!line.includes('"type":"error"')) return {};
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
