import type { WorkspaceSnapshot } from 'messaging-automation/server';
import type { Evidence, Message } from '../../accounting/evidence.js';
import type { Call } from '../../calls.js';
import { askControl } from '../service/balancer.js';
import type { Tenant } from '../tenant.js';
import { type KnownMessage, nameMessages } from './unnamed-messages.js';

/** How long one answer may take: a whole workspace is in it. In milliseconds. */
const patience = 60_000;
const pageSize = 2_000;

export interface TenantEvidence {
  readonly evidence: Evidence;
  readonly problems: readonly string[];
  readonly journalEntries: number;
  /** Messages that were taken in and that the journal does not have: their process died between the two. */
  readonly notInJournal: number;
  /** Those of them whose calls succeeded. */
  readonly acceptedNotInJournal: number;
  /** Attempts that are on record and that the journal does not have, likewise. */
  readonly attemptsNotInJournal: number;
}

interface Entry {
  readonly number: number;
  readonly type: string;
}

/** Asks every replica for all that a tenant holds, now that nothing waits any more. */
export async function takeEvidence(tenant: Tenant, origins: readonly string[]): Promise<TenantEvidence> {
  const ask = <Value>(origin: string, path: string) =>
    askControl<Value>(origin, tenant.apiKey, 'GET', path, { timeout: patience });
  const problems: string[] = [];
  const [first = '', ...others] = origins;
  const after = await ask<WorkspaceSnapshot>(first, 'snapshot');
  for (const origin of others) {
    const other = await ask<WorkspaceSnapshot>(origin, 'snapshot');
    problems.push(...differences(after, other));
  }
  const { entries, problems: gaps } = await readJournal(first, ask);
  problems.push(...gaps);
  const segmentMembers: Record<string, readonly string[]> = {};
  for (const { id } of after.workspace.segments) {
    const { data } = await ask<{ data: readonly string[] }>(
      first,
      `segments/${encodeURIComponent(id)}/members`,
    );
    segmentMembers[id] = data;
  }
  const inJournal = entries.filter((entry): entry is Entry & KnownMessage => entry.type === 'message');
  const journal = new Set(inJournal.map(({ messageId }) => messageId));
  const { messages, calls } = nameMessages(tenant.calls, tenant.unnamedMessages, inJournal, after.deliveries);
  problems.push(
    ...after.sends
      .filter(({ status }) => status === 'pending')
      .map(({ id }) => `the send ${id} waits for nothing`),
  );
  return {
    evidence: {
      name: tenant.name,
      clock: tenant.clock,
      // A disrupted replica is late.
      delayed: true,
      before: tenant.before,
      after,
      calls: nameRedeliveries(calls, after),
      messages: messages.map(({ messageId, contactId, at }): Message => ({ messageId, contactId, at })),
      segmentMembers,
    },
    problems: problems.map((problem) => `${tenant.name}: ${problem}`),
    journalEntries: entries.length,
    notInJournal: messages.length - inJournal.length,
    acceptedNotInJournal: tenant.calls.filter(
      (call) => call.kind === 'message' && call.outcome === 'success' && !journal.has(call.messageId),
    ).length,
    attemptsNotInJournal:
      after.deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0) -
      entries.filter(({ type }) => type === 'attempt').length,
  };
}

/** Reads all of the journal, and holds its numbers against each other. */
async function readJournal(
  origin: string,
  ask: <Value>(origin: string, path: string) => Promise<Value>,
): Promise<{ readonly entries: readonly Entry[]; readonly problems: readonly string[] }> {
  const entries: Entry[] = [];
  const problems: string[] = [];
  for (let last = 0; ; ) {
    const page = await ask<{ data: readonly Entry[]; more: boolean; forgotten: number }>(
      origin,
      `journal?since=${last}&limit=${pageSize}`,
    );
    for (const entry of page.data) {
      const expected = entries.length === 0 ? page.forgotten + 1 : last + 1;
      if (entry.number !== expected)
        problems.push(`the journal goes on with ${entry.number} instead of ${expected}`);
      last = entry.number;
      entries.push(entry);
    }
    if (!page.more || page.data.length === 0) return { entries, problems };
  }
}

/** The lists of two snapshots that differ though nothing happened between them. */
function differences(one: WorkspaceSnapshot, other: WorkspaceSnapshot): readonly string[] {
  const { takenAt: _, version, ...lists } = one;
  return Object.entries(lists)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(other, name)))
    .map(([name]) => `two replicas answer with different ${name}`);
}

/** Finds the redeliveries whose ids nobody learnt. */
function nameRedeliveries(calls: readonly Call[], { deliveries }: WorkspaceSnapshot): readonly Call[] {
  const known = new Set(calls.flatMap((call) => (call.kind === 'redeliver' ? (call.deliveryId ?? []) : [])));
  const unclaimed = deliveries.filter(({ id, redeliveryOf }) => redeliveryOf !== undefined && !known.has(id));
  return calls.map((call) => {
    if (call.kind !== 'redeliver' || call.outcome !== 'unknown') return call;
    const index = unclaimed.findIndex(({ redeliveryOf }) => redeliveryOf === call.originalId);
    const [found] = index < 0 ? [] : unclaimed.splice(index, 1);
    return found === undefined ? call : { ...call, deliveryId: found.id };
  });
}
