import * as z from 'zod/mini';
import { type Schema, validate } from '../../contract/schema.js';
import { defaultRandomSeed } from '../faults/random.js';
import { notRight } from '../model/service-error.js';
import { workspaceAsSeed } from '../seed/as-seed.js';
import { type WorkspaceSeed, workspaceSeedSchema } from '../seed/workspace-seed.js';
import { checkReceivers, receiversIn } from '../workspace/check-workspace.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { snapshotOfAnyVersion } from '../workspace/older-formats.js';
import { readState, reset, restore } from '../workspace/restore.js';
import { type StateSnapshot, stateAsText, stateFields, stateFromText } from '../workspace/state-schema.js';
import { change } from './change.js';
import { clockAfter } from './clock.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

/**
 * The state of a workspace at one time, as plain data. It contains signing secrets and phone numbers, so store it safely.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type WorkspaceSnapshot } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * const snapshot: WorkspaceSnapshot = await server.snapshot();
 *
 * const copy = server.workspace();
 * await copy.restore(JSON.parse(JSON.stringify(snapshot)));
 * console.log((await copy.client.contacts.find('+15551234567'))?.properties.phone); // +15551234567
 * ```
 */
export interface WorkspaceSnapshot extends StateSnapshot {
  /** The version of this format. Another version of the package may use another format. */
  readonly version: 1;
  /** The workspace's time when the snapshot was taken: ISO 8601, UTC. */
  readonly takenAt: string;
}

/** A snapshot as read from a file. */
export const snapshotSchema: Schema<WorkspaceSnapshot> = z.strictObject({
  version: z.literal(1),
  takenAt: z.string().check(z.iso.datetime('must be an ISO 8601 time in UTC')),
  ...stateFields,
});

/** Takes a workspace's snapshot after all running work has ended. */
export async function snapshotOf(workspace: LiveWorkspace): Promise<WorkspaceSnapshot> {
  const state = await readState(workspace);
  return { version: 1, takenAt: new Date(workspace.clock.now()).toISOString(), ...stateAsText(state) };
}

/**
 * Restores a workspace from a snapshot.
 *
 * @throws ConfigurationError that names each invalid field of the snapshot.
 */
export async function restoreFrom(workspace: LiveWorkspace, snapshot: WorkspaceSnapshot): Promise<void> {
  const validation = validate(snapshotSchema, snapshotOfAnyVersion(snapshot));
  if (!validation.valid) throw notRight('The snapshot', validation.problems);
  const { version: _, takenAt, ...state } = validation.value;
  checkReceivers('The snapshot', receiversIn(state), workspace.context.receiverAddresses);
  const call = {
    operation: 'restore',
    given: [validation.value],
    before: () => definitionsIn(workspace),
  } as const;
  await change(workspace, call, () => restore(workspace, stateFromText(state), Date.parse(takenAt)));
}

/** What a restore replaces besides what happened and the contacts. */
async function definitionsIn({ context: { store } }: LiveWorkspace): Promise<Partial<WorkspaceSeed>> {
  const { quota, addOnCredits, templates, segments, journeys } = workspaceAsSeed(
    {
      workspace: {
        ...(await store.sends.readQuota()),
        templates: await store.templates.list(),
        segments: await store.segments.list(),
        journeys: await store.journeys.list(),
      },
      contacts: [],
      subscriptions: [],
    },
    {},
  );
  return { quota, addOnCredits, templates, segments, journeys };
}

/** A clock that differs less than this from the machine's counts as unmoved. In milliseconds. */
const skewIgnored = 1_000;

/** Returns the current content of a workspace as a seed. */
export async function seedOf(live: LiveWorkspace): Promise<WorkspaceSeed> {
  const state = await live.context.store.readState();
  const { clock: position, specGaps, faults } = live.settings.now;
  const isAtMachineTime = position.flow === 'flowing' && Math.abs(position.ahead) < skewIgnored;
  const { randomSeed, rules } = faults;
  return workspaceAsSeed(state, {
    clock: position.flow,
    now: isAtMachineTime ? undefined : new Date(Math.round(live.clock.now())).toISOString(),
    specGaps,
    faults: rules.map(({ rule }) => rule),
    randomSeed: randomSeed === defaultRandomSeed ? undefined : randomSeed,
  });
}

/** A snapshot is larger than any request of the service. In bytes. */
const snapshotLimit = 256 * 1024 * 1024;

/** The operations on a workspace as a whole. A program calls them on the workspace itself. */
export const workspaceOperations = ({ clockSchema }: typeof Shapes) => ({
  settled: operation('settled', 'POST', '/control/settled', {
    summary: 'Responds when no due work is left.',
    result: clockSchema,
    rule: (live) => clockAfter(live, live.life.settled()),
  }),
  snapshot: operation('snapshot', 'GET', '/control/snapshot', {
    summary: 'Returns the state of the workspace, including secrets and phone numbers.',
    result: snapshotSchema,
    rule: snapshotOf,
  }),
  restore: operation('restore', 'PUT', '/control/snapshot', {
    summary: 'Restores the workspace from a snapshot.',
    body: snapshotSchema,
    bodyLimit: snapshotLimit,
    rule: (live, { body }) => restoreFrom(live, body),
  }),
  seed: operation('seed', 'GET', '/control/seed', {
    summary:
      'Returns the current workspace as a seed without its history, for `serve --seed`. It contains secrets and phone numbers.',
    result: workspaceSeedSchema,
    rule: seedOf,
  }),
  reset: operation('reset', 'POST', '/control/reset', {
    summary: 'Restores the seed of the workspace, including its clock. Keeps the keys.',
    rule: reset,
  }),
});
