import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { type Call, statusOf } from '../control.js';
import { deliveryView } from '../delivery-view.js';
import { contact, described, optionalText, parameter, record } from '../fields.js';
import { readingTool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

const { deliveries, events, journal, sends, clock } = controlOperations;

const longest = 45;
const usual = 10;
const seconds = `must be a number from 0.1 to ${longest}`;

const filters = {
  contact,
  event: optionalText('For a delivery: the webhook event type. For an event: its name.'),
  status: parameter(deliveries.find, 'status'),
  subscriptionId: parameter(deliveries.find, 'subscriptionId'),
  templateId: parameter(sends.find, 'templateId'),
  text: parameter(sends.find, 'text'),
  type: parameter(journal.find, 'type'),
  operation: parameter(journal.find, 'operation'),
  since: z.optional(
    described(z.int().check(z.gte(0, 'must be 0 or more')), 'Only entries after the entry with this number.'),
  ),
};

export const waitFor = readingTool({
  name: 'wait_for',
  title: 'Wait for something',
  description:
    'Waits in real time until something matches, and returns the first matches; returns at once if something matches already. ' +
    'Filters: contact (delivery, send, event); event (delivery, event); status and subscriptionId (delivery; default: one that ' +
    'was delivered); templateId and text (send); type, operation and since (entry). For something NEW, use what=entry with ' +
    '`since`. Not for work that is due later by the clock of the workspace: use advance_clock.',
  input: z.strictObject({
    what: described(z.enum(['delivery', 'send', 'event', 'entry']), 'entry is any entry of the journal.'),
    ...filters,
    within: z.optional(
      described(
        z.number().check(z.gte(0.1, seconds), z.lte(longest, seconds)),
        `How long to wait, in seconds, up to ${longest}. Default: ${usual}.`,
      ),
    ),
  }),
  output: z.object({
    found: z.boolean(),
    items: z.array(record),
    reason: optionalText('Why nothing was found, with the closest items.'),
    hint: optionalText('What to do next.'),
  }),
  run: async ({ what, within = usual, ...filter }, call) => {
    const query = { ...filter, limit: 3, wait: `${Math.round(within * 1_000)}ms` };
    try {
      return { found: true, items: [...(await itemsOf(what, query, call))] };
    } catch (error) {
      if (statusOf(error) !== 408) throw error;
      return { found: false, items: [], reason: reasonOf(error), hint: await hintOf(call) };
    }
  },
});

type Query = Readonly<Record<string, string | number | undefined>>;

/** Waits for the first items. */
async function itemsOf(
  what: 'delivery' | 'send' | 'event' | 'entry',
  query: Query,
  call: Call,
): Promise<readonly Record<string, unknown>[]> {
  switch (what) {
    case 'delivery':
      return (
        await call.ask(deliveries.find, { query: of(what, query, deliveries.find.query ?? {}) })
      ).data.map((delivery) => ({ ...deliveryView(delivery) }));
    case 'send':
      return (await call.ask(sends.find, { query: of(what, query, sends.find.query ?? {}) })).data.map(
        (send) => ({
          ...send,
        }),
      );
    case 'event':
      return (await call.ask(events.find, { query: of(what, query, events.find.query ?? {}) })).data.map(
        (event) => ({
          ...event,
        }),
      );
    case 'entry':
      return (await call.ask(journal.find, { query: of(what, query, journal.find.query ?? {}) })).data.map(
        (entry) => ({
          number: entry.number,
          line: call.describe(entry),
        }),
      );
  }
}

/** The filters, if all of them are of the operation. */
function of(what: string, query: Query, known: object): Query {
  const wrong = Object.keys(query).filter((name) => query[name] !== undefined && !Object.hasOwn(known, name));
  if (wrong.length === 0) return query;
  const own = Object.keys(filters).filter((name) => Object.hasOwn(known, name));
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
async function hintOf(call: Call): Promise<string> {
  const { time, flow, next } = await call.ask(clock.now);
  return next === undefined
    ? 'No work waits in the workspace, so waiting longer is of no use. read_journal shows what happened.'
    : `The ${flow} clock of the workspace is at ${time}, and work waits until ${new Date(next).toISOString()}: advance_clock with to=next runs it.`;
}
