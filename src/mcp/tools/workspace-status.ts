import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { described, record } from '../fields.js';
import { readingTool } from '../tool.js';

const { clock, quota, subscriptions, faults, templates, journeys, segments, contacts } = controlOperations;

export const workspaceStatus = readingTool({
  name: 'workspace_status',
  title: 'Show the workspace',
  description:
    'Shows what the test workspace is set up with now: its clock, quota, webhook subscriptions, fault rules, templates, ' +
    'journeys, segments and some contacts. Call it first. For what happened in it, use read_journal.',
  input: z.strictObject({}),
  output: z.object({
    url: z.string(),
    clock: record,
    quota: record,
    subscriptions: z.array(record),
    faults: z.array(record),
    templates: z.array(record),
    journeys: z.array(z.string()),
    segments: z.array(z.string()),
    contacts: described(z.array(record), 'The five oldest contacts at most.'),
  }),
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
      url: call.url,
      clock: time,
      quota: { ...left },
      subscriptions: hooks.data.map(({ secretEnding, ...others }) => others),
      faults: rules.data.map((rule) => ({ ...rule })),
      templates: texts.data.map((template) => ({ ...template })),
      journeys: runs.data.map(({ id }) => id),
      segments: groups.data.map(({ id }) => id),
      contacts: people.data.map((person) => ({ ...person })),
    };
  },
});
