import * as z from 'zod/mini';
import { type Schema, validate } from '../../contract/schema.js';
import { ConfigurationError } from '../../foundation/options.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import { notRight } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { settingsSchema } from '../seed/workspace-seed.js';
import type { FailedTest } from '../subjects/operation.js';
import { digestOfKey } from '../workspace/api-keys.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { stateOfVersion1 } from '../workspace/older-formats.js';
import { digestSchema, type WorkspaceInState, workspaceInStateSchema } from '../workspace/state-schema.js';
import type { Workspaces } from '../workspace/workspaces.js';

/**
 * The state of a reference server. Another server can resume from it. `serve --state` keeps it in a file. It contains signing
 * secrets and phone numbers, so store it safely. It contains only SHA-256 digests of API keys. Only the file of a failed
 * test has the journal, too.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ServerState } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ clock: 'frozen', apiKey: 'test_key' });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * const state: ServerState = await server.state();
 *
 * await using again = createReferenceServer({ state: JSON.parse(JSON.stringify(state)), apiKey: 'test_key' });
 * console.log(again.clock.now() === server.clock.now()); // true
 * console.log((await again.client.contacts.find('+15551234567'))?.properties.phone); // +15551234567
 * ```
 */
export interface ServerState {
  /** The version of this format. Another version of the package may use another format. */
  readonly version: 2;
  /** The digest of the server's initial key. */
  readonly apiKeyDigest: string;
  /** The defaults of further workspaces. */
  readonly defaults: {
    readonly clock?: 'flowing' | 'frozen' | undefined;
    readonly deliveryTimestamps?: DeliveryTimestamps | undefined;
    readonly specGaps?: Partial<SpecGaps> | undefined;
  };
  /** The name of the failed test that left this state: see `keepOnFailure`. */
  readonly failedTest?: string;
  /** What the error of that test said: its first 4,000 characters. */
  readonly failedTestError?: string;
  /** One or more workspaces. The first is the server's own. */
  readonly workspaces: readonly [WorkspaceInState, ...WorkspaceInState[]];
}

/** A server's state from a file. The checks detect other data and damaged states, and no more. */
export const serverStateSchema: Schema<ServerState> = z.strictObject({
  version: z.literal(2),
  apiKeyDigest: digestSchema,
  defaults: z.pick(settingsSchema, { clock: true, deliveryTimestamps: true, specGaps: true }),
  failedTest: z.exactOptional(z.string()),
  failedTestError: z.exactOptional(z.string()),
  workspaces: z.tuple([workspaceInStateSchema], workspaceInStateSchema),
});

/**
 * Validates a server state that was read from a file. It also reads the states that 0.1.0 wrote.
 *
 * @throws ConfigurationError that names each invalid field, or the version if a newer package wrote the state.
 * @example
 * ```ts
 * import { createReferenceServer, parseServerState } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const text = JSON.stringify(await server.state());
 *
 * await using again = createReferenceServer({ state: parseServerState(JSON.parse(text)) });
 * console.log(again.id === server.id); // true
 * ```
 */
export function parseServerState(value: unknown): ServerState {
  const version: unknown = Reflect.get(Object(value), 'version');
  if (typeof version === 'number' && version > 2) {
    throw new ConfigurationError(
      `The state has version ${version}, but this package only reads versions 1 and 2. Use the newer package ` +
        'that wrote it, or another file.',
    );
  }
  const current = version === 1 ? stateOfVersion1(Object(value)) : value;
  const validation = validate(serverStateSchema, current);
  if (validation.valid) return validation.value;
  throw notRight('The state', validation.problems);
}

/** The failed test that left a state. Undefined if none did. */
export function failedTestIn({
  failedTest: name,
  failedTestError: error = '',
}: ServerState): FailedTest | undefined {
  return name === undefined ? undefined : { name, error };
}

/**
 * Resumes the workspaces of a state, and returns the first.
 *
 * @param apiKey - Adds a key to the first workspace, unless that workspace has revoked it.
 * @throws ConfigurationError if two workspaces conflict, or the key belongs to another workspace.
 */
export function resumeFrom(state: ServerState, apiKey: string, workspaces: Workspaces): LiveWorkspace {
  const [first, ...others] = state.workspaces;
  const digest = digestOfKey(apiKey);
  if (others.some(({ apiKeyDigests }) => apiKeyDigests.includes(digest))) {
    throw new ConfigurationError(
      "The apiKey belongs to another workspace of the state, not the server's own. Pass a new key, or none.",
    );
  }
  const isNew = digest !== state.apiKeyDigest && !first.apiKeyDigests.includes(digest);
  const apiKeyDigests = isNew ? [...first.apiKeyDigests, digest] : first.apiKeyDigests;
  const live = workspaces.resume({ ...first, apiKeyDigests }, apiKey);
  for (const other of others) workspaces.resume(other);
  return live;
}
