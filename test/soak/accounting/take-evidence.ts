import type { WorkspaceSnapshot } from 'messaging-automation/server';
import { askControl } from '../control.js';
import type { Tally } from '../report.js';
import type { Tenant } from '../tenant.js';
import { auditWorkspace } from './audit.js';
import type { Evidence } from './evidence.js';
import { type KnownMessage, nameMessages } from './unnamed-messages.js';

/** How long one response may take: it has a whole workspace. In milliseconds. */
const timeout = 60_000;
const pageSize = 2_000;
/** How far the times of two replicas may be apart that are asked one after the other. In milliseconds. */
const mostApart = 30_000;

interface Entry {
  readonly number: number;
  readonly type: string;
}

/** Asks every replica for all that each tenant holds, now that nothing waits any more, and audits it. Adds to the problems. */
export async function auditTenants(
  tenants: readonly Tenant[],
  origins: readonly string[],
  tally: Tally,
  problems: string[],
): Promise<readonly Evidence[]> {
  const all: Evidence[] = [];
  for (const tenant of tenants) {
    const audited = await auditTenant(tenant, origins, tally);
    all.push(audited.evidence);
    problems.push(...audited.problems);
  }
  return all;
}

async function auditTenant(tenant: Tenant, origins: readonly string[], tally: Tally) {
  const ask = <Value>(origin: string, path: string) =>
    askControl<Value>(origin, tenant.apiKey, 'GET', path, { timeout });
  const problems: string[] = [];
  const [first = '', ...others] = origins;
  const after = await ask<WorkspaceSnapshot>(first, 'snapshot');
  for (const origin of others) {
    problems.push(...differences(after, await ask<WorkspaceSnapshot>(origin, 'snapshot')));
  }
  problems.push(...(await problemsWithTimes(origins, (origin) => ask(origin, 'clock'))));
  const entries = await readJournal((path) => ask(first, path), problems);
  const segmentMembers: Record<string, readonly string[]> = {};
  for (const { id } of after.workspace.segments) {
    const path = `segments/${encodeURIComponent(id)}/members`;
    segmentMembers[id] = (await ask<{ data: readonly string[] }>(first, path)).data;
  }
  const waiting = after.sends.filter(({ status }) => status === 'pending');
  problems.push(...waiting.map(({ id }) => `the send ${id} waits for nothing`));
  const inJournal = entries.filter((entry): entry is Entry & KnownMessage => entry.type === 'message');
  const { name, clock, delayed, before } = tenant;
  const { messages, calls } = nameMessages(tenant.calls, tenant.unnamedMessages, inJournal, after.deliveries);
  const evidence = { name, clock, delayed, before, after, calls, messages, segmentMembers };
  count(evidence, tally);
  for (const entry of entries) {
    if (entry.type === 'fault') tally.add('faults', String(Reflect.get(Reflect.get(entry, 'fault'), 'kind')));
  }
  tally.add('journal', 'entries', entries.length);
  // The process died between taking the message in and the journal.
  tally.add('journal', 'messages it does not have', messages.length - inJournal.length);
  return {
    evidence,
    problems: [...problems.map((problem) => `${name}: ${problem}`), ...auditWorkspace(evidence)],
  };
}

/** The replicas of a workspace have one time. */
async function problemsWithTimes(
  origins: readonly string[],
  ask: (origin: string) => Promise<{ readonly now: number }>,
): Promise<readonly string[]> {
  const times: number[] = [];
  for (const origin of origins) times.push((await ask(origin)).now);
  const apart = Math.max(...times) - Math.min(...times);
  return apart > mostApart ? [`the times of two replicas are ${apart} ms apart`] : [];
}

/** Reads the whole journal, and checks its numbers. */
async function readJournal(
  ask: <Value>(path: string) => Promise<Value>,
  problems: string[],
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let last = 0; ; ) {
    const page = await ask<{ data: readonly Entry[]; more: boolean; forgotten: number }>(
      `journal?since=${last}&limit=${pageSize}`,
    );
    for (const entry of page.data) {
      const expected = entries.length === 0 ? page.forgotten + 1 : last + 1;
      if (entry.number !== expected) {
        problems.push(`the journal continues with ${entry.number} instead of ${expected}`);
      }
      last = entry.number;
      entries.push(entry);
    }
    if (!page.more || page.data.length === 0) return entries;
  }
}

/** The lists of two snapshots that differ although nothing happened between them. */
function differences(one: WorkspaceSnapshot, other: WorkspaceSnapshot): readonly string[] {
  const { takenAt: _, version, ...lists } = one;
  return Object.entries(lists)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(other, name)))
    .map(([name]) => `two replicas respond with different ${name}`);
}

/** Counts what a workspace holds. */
function count({ after, calls, messages }: Evidence, tally: Tally): void {
  tally.add('workspaces', 'audited');
  for (const { kind, outcome } of calls) {
    tally.add('operations', kind);
    tally.add('outcomes', outcome);
  }
  tally.add('messages', 'inbound', messages.length);
  tally.add('events', 'processed', after.events.length);
  for (const { status } of after.journeyRuns) tally.add('journey runs', status);
  for (const { journeyRunId } of after.sends) {
    tally.add('sends', journeyRunId === undefined ? 'by the API' : 'by journeys');
  }
  for (const { status, attempts } of after.deliveries) {
    tally.add('deliveries', status);
    for (const { error } of attempts) {
      tally.add('attempts', error === undefined ? 'acknowledged' : 'not acknowledged');
    }
  }
}
