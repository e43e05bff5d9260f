import { validate } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/options.js';
import {
  placeholdersOf,
  type SegmentRecord,
  type TemplateRecord,
  type WorkspaceRecord,
} from '../model/records.js';
import { notRight } from '../model/service-error.js';
import { toMilliseconds } from '../time/duration.js';
import { compileJourney } from './journey-seed.js';
import type { SegmentSeed } from './segment-seed.js';
import { type TemplateSeed, type WorkspaceSeed, workspaceSeedSchema } from './workspace-seed.js';

/**
 * Validates a workspace seed from a file or a program.
 *
 * @throws ConfigurationError that names each invalid field.
 * @example
 * ```ts
 * import { createReferenceServer, parseWorkspaceSeed } from 'messaging-automation/server';
 *
 * const seed = parseWorkspaceSeed(JSON.parse('{ "quota": 10 }'));
 * await using server = createReferenceServer(seed);
 * ```
 */
export function parseWorkspaceSeed(value: unknown): WorkspaceSeed {
  return parseSeed("The workspace's seed", value);
}

/** Checks a seed that is part of a larger object: `subject` names that object, `problems` lists its other problems. */
export function parseSeed(
  subject: string,
  value: unknown,
  problems: readonly FieldProblem[] = [],
): WorkspaceSeed {
  const validation = validate(workspaceSeedSchema, value);
  if (validation.valid && problems.length === 0) return validation.value;
  throw notRight(subject, [...problems, ...(validation.valid ? [] : validation.problems)]);
}

/** Creates the workspace record of a seed. Contacts and subscriptions follow later. */
export function recordOf(seed: WorkspaceSeed, id: string): WorkspaceRecord {
  return {
    id,
    quota: seed.quota ?? 1_000,
    addOnCredits: seed.addOnCredits ?? 0,
    templates: (seed.templates ?? []).map(templateRecord),
    segments: (seed.segments ?? []).map(segmentRecord),
    journeys: (seed.journeys ?? []).map(compileJourney),
  };
}

/** Creates the template record of a seed. */
export function templateRecord({
  id,
  body,
  name = id,
  language = 'en',
  status = 'approved',
}: TemplateSeed): TemplateRecord {
  return { id, name, language, status, body, variables: placeholdersOf(body) };
}

/** Creates the segment record of a seed. */
export function segmentRecord(segment: SegmentSeed): SegmentRecord {
  if ('where' in segment) return segment;
  const { id, event, atLeast = 1, within } = segment;
  return within === undefined
    ? { id, event, atLeast }
    : { id, event, atLeast, within: toMilliseconds(within) };
}

/**
 * Completes the seed of a further workspace. Defaults: the clock, the delivery timestamps and the `specGaps` of the
 * server.
 *
 * @throws ConfigurationError that names each invalid field.
 */
export function withServerDefaults(first: WorkspaceSeed, seed: WorkspaceSeed): WorkspaceSeed {
  const checked = parseWorkspaceSeed(seed);
  return {
    ...checked,
    clock: checked.clock ?? first.clock,
    deliveryTimestamps: checked.deliveryTimestamps ?? first.deliveryTimestamps,
    specGaps: { ...first.specGaps, ...checked.specGaps },
  };
}
