import * as z from 'zod/mini';
import { controlOperations } from '../../server/subjects/control-operations.js';
import type { ControlOperation, QueryParameters } from '../../server/subjects/operation.js';
import { contact, described, filtersOf, optionalText, wholeNumber } from '../fields.js';
import { deliveryView } from '../readable.js';
import { type ToolCall, ToolFailure, tool } from '../tool.js';

const { deliveries, events, journal, sends, clock } = controlOperations;

const wanted = 'must be a number from 0.1 to 45';
const seconds = z.number().check(z.gte(0.1, wanted), z.lte(45, wanted));

/** The filters of all that an agent can wait for. */
const filters = {
  ...filtersOf(sends.find),
  ...filtersOf(deliveries.find),
  ...filtersOf(journal.find),
  contact,
  event: optionalText('For a delivery: the webhook event type. For an event: its name.'),
  since: z.optional(wholeNumber(0, 'Only entries after the entry with this number.')),
};

/** What an agent can wait for. */
const awaited = {
  delivery: found(deliveries.find, deliveryView),
  send: found(sends.find, (send) => send),
  event: found(events.find, (event) => event),
  entry: found(journal.find, (entry, call) => call.lineOf(entry)),
};

type Query = Readonly<Record<string, string | number | undefined>>;

/** Items that an operation finds, in the form for an agent. */
function found<Path extends string, Parameters extends QueryParameters, Item>(
  operation: ControlOperation<Path, Parameters, undefined, { readonly data: readonly Item[] }>,
  viewOf: (item: Item, call: ToolCall) => object,
) {
  return {
    filters: Object.keys(filtersOf(operation)),
    find: async (query: Query, call: ToolCall) => {
      const { data } = await call.ask(operation, { query: Object(query) });
      return data.map((item) => viewOf(item, call));
    },
  };
}

const inWords = Object.entries(awaited).map(([what, { filters: own }]) => `${what}: ${own.join(', ')}`);

export const waitFor = tool({
  name: 'wait_for',
  description:
    'Waits in real time until something matches, and returns the first matches; returns at once if something matches already. ' +
    `Filters: ${inWords.join('; ')}. A delivery without a status is one that was delivered. For something NEW, use what=entry with ` +
    '`since`. Not for work that is due later by the clock of the workspace: use advance_clock.',
  effect: 'reads',
  input: z.strictObject({
    what: described(z.enum(['delivery', 'send', 'event', 'entry']), 'entry is any entry of the journal.'),
    ...filters,
    within: z._default(described(seconds, 'How long to wait, in seconds, up to 45. Default: 10.'), 10),
  }),
  run: async ({ what, within, ...filter }, call) => {
    refuseOthers(what, filter);
    const query = { ...filter, limit: 3, wait: `${Math.round(within * 1_000)}ms` };
    try {
      return { found: true, items: await awaited[what].find(query, call) };
    } catch (error) {
      if (Object(error).status !== 408) throw error;
      return { found: false, items: [], reason: reasonOf(error), hint: await hintOf(call) };
    }
  },
});

/** Refuses the filters of what else an agent can wait for. */
function refuseOthers(what: keyof typeof awaited, filter: Query): void {
  const own = awaited[what].filters;
  const wrong = Object.keys(filter).filter((name) => filter[name] !== undefined && !own.includes(name));
  if (wrong.length === 0) return;
  throw new ToolFailure(
    `Invalid arguments: ${wrong.join(' and ')} is not a filter of what=${what}. Its filters: ${own.join(', ')}.`,
  );
}

/** What the server says of a wait that ended, without the status. */
function reasonOf(error: unknown): string {
  const { message }: { readonly message?: unknown } = Object(error);
  return String(message)
    .replace(/^.*? 408: (?:\w+: )?/s, '')
    .replaceAll('\\u000a', '\n');
}

/** What can make it happen. */
async function hintOf(call: ToolCall): Promise<string> {
  const { time, flow, next } = await call.ask(clock.now);
  return next === undefined
    ? 'No work waits in the workspace, so waiting longer is of no use. read_journal shows what happened.'
    : `The ${flow} clock of the workspace is at ${time}, and work waits until ${new Date(next).toISOString()}: advance_clock with to=next runs it.`;
}
