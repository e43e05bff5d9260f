import * as z from 'zod/mini';
import { controlOperations } from '../../server/subjects/control-operations.js';
import type { CallParts, ControlOperation, QueryParameters } from '../../server/subjects/operation.js';
import { contact, deliveryId, filtersOf, limit, optionalText, wholeNumber } from '../fields.js';
import { deliveryView, type ToolOutput } from '../readable.js';
import { type ToolCall, tool } from '../tool.js';

/** The tools that read. */

const { clock, quota, subscriptions, faults, templates, journeys, segments, contacts, deliveries, journal } =
  controlOperations;

export const workspaceStatus = tool({
  name: 'workspace_status',
  description:
    'Shows what the test workspace is set up with now: its clock, quota, webhook subscriptions, fault rules, templates, ' +
    'journeys, segments and the five oldest contacts. Call it first. For what happened in it, use read_journal.',
  effect: 'reads',
  input: z.strictObject({}),
  run: async (_, call) => {
    const [{ now, ...time }, left, hooks, rules, texts, runs, groups, people] = await Promise.all([
      call.ask(clock.now),
      call.ask(quota.read),
      call.ask(subscriptions.list),
      call.ask(faults.list),
      call.ask(templates.list),
      call.ask(journeys.list),
      call.ask(segments.list),
      call.ask(contacts.list, { query: { limit: 5 } }),
    ]);
    return {
      url: call.context.surface.url,
      clock: time,
      quota: left,
      subscriptions: hooks.data.map(({ secretEnding, ...others }) => others),
      faults: rules.data,
      templates: texts.data,
      journeys: runs.data.map(({ id }) => id),
      segments: groups.data.map(({ id }) => id),
      contacts: people.data,
    };
  },
});

export const readJournal = tool({
  name: 'read_journal',
  description:
    'Lists what happened in the workspace, a line per entry: API requests and why they were refused, sent templates, tracked ' +
    'events, inbound messages, delivery attempts, journeys, faults. Without `since` it returns the latest entries; with `since` ' +
    'the first ones after that number, and whether there are `more`. For the bodies and the causes of an entry, use ' +
    'inspect_entry. For a delivery with its bytes, use list_deliveries. For something that has not happened yet, use wait_for.',
  effect: 'reads',
  input: z.strictObject({
    ...filtersOf(journal.find),
    since: z.optional(wholeNumber(0, 'The number of the last entry that you have already.')),
    limit: limit(100, 20),
  }),
  run: async ({ since, limit: most, ...filter }, call) => {
    if (since === undefined) {
      const { items, older } = await latestOf(call, journal.find, filter, most);
      return latest('entries', items.map(call.lineOf), older, items.length === 0 ? nothing : undefined);
    }
    const page = await call.ask(journal.find, { query: { ...filter, since, limit: most } });
    if (page.data.length === 0) {
      const hint = `Nothing that matches happened after entry ${since}. Use wait_for to wait for it.`;
      return { entries: [], more: page.more, hint };
    }
    return (kept: number) => ({
      entries: page.data.slice(0, kept).map(call.lineOf),
      more: page.more || kept < page.data.length,
    });
  },
});

const nothing = 'No entry matches. Use fewer filters or send_as_contact, or call the API under test.';

export const inspectEntry = tool({
  name: 'inspect_entry',
  description:
    'Returns one journal entry whole: the bodies of the request and of its response, the entries that caused it, those that it ' +
    'caused, and a curl command, code and a Vitest test that repeat it: replace the masked phone numbers in them. To find the ' +
    'number, use read_journal. For why a delivery failed, use explain_delivery.',
  effect: 'reads',
  input: z.strictObject({ number: wholeNumber(1, 'The number of the entry, from read_journal.') }),
  run: async ({ number }, call) => {
    const path = { number: String(number) };
    const { entry, causes, effects, copies } = await call.ask(journal.inspect, { path });
    return { number, entry, causes: causes.map(call.lineOf), effects: effects.map(call.lineOf), copies };
  },
});

export const listDeliveries = tool({
  name: 'list_deliveries',
  description:
    'Lists the latest webhook deliveries, oldest first, each with its body, status and attempts: when, the status and body of ' +
    'the response, or the error. Phone numbers and secrets in the body are masked, so its signature cannot be verified here. ' +
    'For why one failed and what to do, use explain_delivery. For one that has not arrived yet, use wait_for.',
  effect: 'reads',
  input: z.strictObject({
    id: optionalText('The id of one delivery.'),
    ...filtersOf(deliveries.find),
    contact,
    limit: limit(50, 5),
  }),
  run: async ({ id, limit: most, ...filter }, call) => {
    const isWanted = (delivery: { readonly id: string }) => id === undefined || delivery.id === id;
    const { items, older } = await latestOf(call, deliveries.find, filter, most, isWanted);
    if (items.length === 0) {
      const hint = 'No delivery matches. A webhook needs a subscription: workspace_status lists them.';
      return { deliveries: [], older, hint };
    }
    const failing = items.find(({ status, attempts }) => status !== 'delivered' && attempts.length > 0);
    const hint = failing && `explain_delivery says why ${failing.id} is ${failing.status}.`;
    return latest('deliveries', items.map(deliveryView), older, hint);
  },
});

interface ReadPage<Item> {
  readonly data: readonly Item[];
  readonly more: boolean;
  readonly cursor: string;
}

/** How many items a request asks for. */
const pageSize = 1_000;

/** The latest items of a list of the control surface that is oldest first, and how many older ones match. */
async function latestOf<Path extends string, Parameters extends QueryParameters, Item>(
  call: ToolCall,
  operation: ControlOperation<Path, Parameters, undefined, ReadPage<Item>>,
  query: CallParts<Path, Parameters, undefined>['query'],
  most: number,
  isWanted: (item: Item) => boolean = () => true,
): Promise<{ readonly items: readonly Item[]; readonly older: number }> {
  let items: readonly Item[] = [];
  let older = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await call.ask(operation, { query: { ...query, limit: pageSize, cursor } });
    const all = [...items, ...page.data.filter(isWanted)];
    items = all.slice(-most);
    older += all.length - items.length;
    if (!page.more) return { items, older };
    cursor = page.cursor;
  }
}

/** The last items that fit, and how many are older than these. */
function latest(name: string, items: readonly object[], older: number, hint?: string): ToolOutput {
  return (most) => ({
    [name]: items.slice(-most),
    older: older + Math.max(0, items.length - most),
    ...(hint !== undefined && { hint }),
  });
}

export const explainDelivery = tool({
  name: 'explain_delivery',
  description:
    'Says why a webhook delivery failed or waits: its causes, the most likely first, each with how certain it is and what to do, ' +
    'and whether the signature matches. For the body and the attempts, use list_deliveries. After the fix, use redeliver.',
  effect: 'reads',
  input: z.strictObject({ id: deliveryId }),
  run: async ({ id }, call) => {
    const { status, causes, signature, clocks } = await call.ask(deliveries.explain, { path: { id } });
    const { header, matches } = signature;
    return { deliveryId: id, status, causes, signature: { header, matches }, clocks };
  },
});
