import * as z from 'zod/mini';
import { upsertContactSchema } from '../contract/contact.js';
import { type Schema, validate } from '../contract/schema.js';
import type { Environment } from './environment.js';
import { digestOfKey } from './http/authentication.js';
import type { ReferenceServerOptions, WorkspaceSeed } from './options.js';
import { placeholdersOf } from './service/templates.js';
import type { WorkspaceRecord } from './store/records.js';

const name = z.string().check(z.minLength(1));
const count = z.int().check(z.gte(0, 'must be zero or more'));

const workspaceSeedSchema: Schema<WorkspaceSeed> = z.strictObject({
  workspaceId: z.optional(name),
  apiKey: z.optional(
    z
      .string()
      .check(z.regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces, to fit into a header')),
  ),
  quota: z.optional(count),
  addOnCredits: z.optional(count),
  templates: z.optional(
    z.array(
      z.strictObject({
        id: name,
        body: z.string(),
        name: z.optional(z.string()),
        language: z.optional(z.string()),
        status: z.optional(z.enum(['approved', 'pending', 'rejected', 'paused'])),
      }),
    ),
  ),
  contacts: z.optional(z.array(upsertContactSchema)),
  segments: z.optional(
    z.array(
      z.strictObject({
        id: name,
        event: name,
        atLeast: z.optional(z.int().check(z.gte(1, 'must be one or more'))),
      }),
    ),
  ),
});

/**
 * Checks what a workspace is to begin with, as read from a file or given by a program.
 *
 * @throws TypeError that names every field that is wrong.
 * @example
 * ```ts
 * import { createReferenceServer, parseWorkspaceSeed } from 'messaging-automation/server';
 *
 * const seed = parseWorkspaceSeed(JSON.parse('{ "quota": 10 }'));
 * await using server = createReferenceServer(seed);
 * ```
 */
export function parseWorkspaceSeed(value: unknown): WorkspaceSeed {
  const validation = validate(workspaceSeedSchema, value);
  if (validation.valid) return validation.value;
  const problems = validation.problems.map(({ field, message }) => `  ${field || 'the seed'} ${message}`);
  throw new TypeError(`The workspace's seed is not right:\n${problems.join('\n')}`);
}

/** What the server's first workspace begins with. */
export function seedOf(options: ReferenceServerOptions): WorkspaceSeed {
  const { workspaceId, apiKey, quota, addOnCredits, templates, contacts, segments } = options;
  return { workspaceId, apiKey, quota, addOnCredits, templates, contacts, segments };
}

/** The workspace that a seed describes, all but its contacts. */
export function workspaceFromSeed(
  seed: WorkspaceSeed,
  environment: Environment,
): { readonly apiKey: string; readonly record: WorkspaceRecord } {
  const apiKey = seed.apiKey ?? environment.newId('key');
  const record: WorkspaceRecord = {
    id: seed.workspaceId ?? environment.newId('workspace'),
    apiKeyDigests: [digestOfKey(apiKey)],
    quota: seed.quota ?? 1_000,
    addOnCredits: seed.addOnCredits ?? 0,
    templates: (seed.templates ?? []).map(
      ({ id, body, name = id, language = 'en', status = 'approved' }) => ({
        id,
        name,
        language,
        status,
        body,
        variables: placeholdersOf(body),
      }),
    ),
    segments: (seed.segments ?? []).map(({ id, event, atLeast = 1 }) => ({ id, event, atLeast })),
  };
  return { apiKey, record };
}
