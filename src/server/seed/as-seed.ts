import {
  type ContactProperties,
  propertyValueSchema,
  type UpsertContactInput,
} from '../../contract/contact.js';
import { validate } from '../../contract/schema.js';
import type { FaultRule } from '../model/fault.js';
import { isListenerUrl } from '../model/listener.js';
import type {
  ContactRecord,
  JourneyRecord,
  JourneyStepRecord,
  SegmentRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceState,
} from '../model/records.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import type { ManagedWebhookSeed } from '../service/subscriptions.js';
import { inLargestUnit } from '../time/duration.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';
import { problemsOfJourney } from './references.js';
import type { SegmentSeed } from './segment-seed.js';
import type { TemplateSeed, WorkspaceSeed } from './workspace-seed.js';

/** The records of a workspace that a seed can contain. */
export type SeededState = Pick<WorkspaceState, 'contacts' | 'subscriptions'> & {
  readonly workspace: Omit<WorkspaceState['workspace'], 'id'>;
};

/** Converts the state and the settings of a workspace to a seed. Leaves out defaults, and everything that a seed cannot contain. */
export function workspaceAsSeed(
  { workspace, contacts, subscriptions }: SeededState,
  {
    clock,
    now,
    specGaps = {},
    faults = [],
    randomSeed,
  }: Pick<WorkspaceSeed, 'clock' | 'now' | 'specGaps' | 'faults' | 'randomSeed'>,
): WorkspaceSeed {
  const { quota, addOnCredits, templates, segments } = workspace;
  // A journey can name a template or segment that was removed. A seed with such a journey would be invalid.
  const journeys = workspace.journeys
    .map(journeyAsSeed)
    .filter((journey) => problemsOfJourney(journey, { templates, segments }).length === 0);
  return {
    quota,
    addOnCredits,
    templates: unlessEmpty(templates.map(templateAsSeed)),
    segments: unlessEmpty(segments.map(segmentAsSeed)),
    journeys: unlessEmpty(journeys),
    contacts: unlessEmpty(contacts.map(contactAsSeed)),
    managedWebhooks: unlessEmpty(
      subscriptions.filter(({ url }) => !isListenerUrl(url)).map(subscriptionAsSeed),
    ),
    faults: unlessEmpty(faults.filter(strikesAnySubscription)),
    randomSeed,
    specGaps: changedIn(specGaps),
    clock,
    now,
  };
}

/** Converts a template to a seed, without its defaults. */
export function templateAsSeed({ id, body, name, language, status }: TemplateRecord): TemplateSeed {
  return {
    id,
    body,
    ...(name !== id && { name }),
    ...(language !== 'en' && { language }),
    ...(status !== 'approved' && { status }),
  };
}

function contactAsSeed({ phone, properties }: ContactRecord): UpsertContactInput<ContactProperties> {
  const known = Object.entries(properties).filter(([, value]) => validate(propertyValueSchema, value).valid);
  return { phone, ...(known.length > 0 && { properties: Object.fromEntries(known) }) };
}

function subscriptionAsSeed({ url, events, secret }: SubscriptionRecord): ManagedWebhookSeed {
  return { url, events, secret };
}

/** Whether the rule names no subscription. Subscriptions of another workspace have other ids. */
function strikesAnySubscription({
  subscriptionId,
}: FaultRule & { readonly subscriptionId?: unknown }): boolean {
  return subscriptionId === undefined;
}

/** The gaps that are not at their defaults. */
export function changedIn(gaps: Partial<SpecGaps>): Partial<SpecGaps> | undefined {
  const defaults = new Map<string, unknown>(Object.entries(defaultSpecGaps));
  const changed = Object.entries(gaps).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults.get(name)),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** Converts a segment to a seed, with its defaults filled in and its time in the largest unit. */
export function segmentAsSeed(segment: SegmentRecord): SegmentSeed {
  if ('where' in segment || segment.within === undefined) return segment;
  return { ...segment, within: inLargestUnit(segment.within) };
}

/** Converts a journey to a seed: reverses `compileJourney`. Each wait is in its largest unit. */
export function journeyAsSeed({ id, event, steps }: JourneyRecord): JourneySeed {
  return { id, event, steps: nested(steps, 0, steps.length) };
}

/** Nests the steps from the index `start` to the index before `end`. */
function nested(steps: readonly JourneyStepRecord[], start: number, end: number): readonly JourneyStepSeed[] {
  const found: JourneyStepSeed[] = [];
  for (let at = start; at < end; ) {
    const step = steps[at];
    at += 1;
    if (step?.kind === 'wait') found.push({ wait: inLargestUnit(step.duration) });
    if (step?.kind === 'send') {
      const { templateId, variables } = step;
      found.push({ send: templateId, ...(Object.keys(variables).length > 0 && { variables }) });
    }
    if (step?.kind === 'branch') {
      const { on, otherwise } = step;
      // A jump ends the steps of `do` where steps of `else` follow. These steps never end with another jump.
      const last = steps[otherwise - 1];
      const [doEnd, elseEnd] = last?.kind === 'jump' ? [otherwise - 1, last.to] : [otherwise, otherwise];
      const [holds, doesNotHold] = [nested(steps, at, doEnd), nested(steps, otherwise, elseEnd)];
      found.push({
        branch: on,
        ...(holds.length > 0 && { do: holds }),
        ...(doesNotHold.length > 0 && { else: doesNotHold }),
      });
      at = Math.max(at, elseEnd);
    }
  }
  return found;
}
