import { doYouMean } from '../../foundation/near-name.js';
import { placeholdersOf } from '../model/records.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';

/** A wrong reference from one part of a seed to another, and its path. */
export interface ReferenceProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The templates and segments that journeys can refer to. */
interface References {
  readonly segments?: readonly { readonly id: string }[] | undefined;
  readonly templates?: readonly { readonly id: string; readonly body: string }[] | undefined;
}

type Path = ReferenceProblem['path'];

/** Finds every journey step that refers to an unknown template or segment, or whose variables do not fit the template. */
export function referenceProblems({
  journeys = [],
  ...references
}: References & { readonly journeys?: readonly JourneySeed[] | undefined }): readonly ReferenceProblem[] {
  return journeys.flatMap((journey, index) =>
    problemsOfJourney(journey, references).map(({ path, message }) => ({
      path: ['journeys', index, ...path],
      message,
    })),
  );
}

/** The same for one journey, with the path within it. */
export function problemsOfJourney(
  { steps }: JourneySeed,
  { segments = [], templates = [] }: References,
): readonly ReferenceProblem[] {
  const segmentIds = new Set(segments.map(({ id }) => id));
  const placeholders = new Map(templates.map(({ id, body }) => [id, placeholdersOf(body)]));
  return stepsIn(steps, ['steps']).flatMap(({ step, path }) => {
    if ('send' in step) return problemsOfSend(step, path, placeholders);
    if (!('branch' in step) || !('segment' in step.branch) || segmentIds.has(step.branch.segment)) return [];
    const hint = doYouMean(step.branch.segment, segmentIds);
    return [{ path: [...path, 'branch', 'segment'], message: `is not the id of a segment${hint}` }];
  });
}

function problemsOfSend(
  { send, variables = {} }: Extract<JourneyStepSeed, { readonly send: string }>,
  path: Path,
  placeholdersById: ReadonlyMap<string, readonly string[]>,
): readonly ReferenceProblem[] {
  const placeholders = placeholdersById.get(send);
  if (placeholders === undefined) {
    const hint = doYouMean(send, placeholdersById.keys());
    return [{ path: [...path, 'send'], message: `is not the id of a template${hint}` }];
  }
  const missing = placeholders.filter((number) => !Object.hasOwn(variables, number));
  const unknown = Object.keys(variables).filter((number) => !placeholders.includes(number));
  return [
    ...missing.map((number) => ({
      path: [...path, 'variables'],
      message: `must have a value for the template's placeholder ${number}`,
    })),
    ...unknown.map((number) => ({
      path: [...path, 'variables', number],
      message: 'is not a placeholder of the template',
    })),
  ];
}

/** All steps, including those in branches, each with its path. */
function stepsIn(
  steps: readonly JourneyStepSeed[],
  path: Path,
): readonly { readonly step: JourneyStepSeed; readonly path: Path }[] {
  return steps.flatMap((step, index) => {
    const here = [...path, index];
    if (!('branch' in step)) return [{ step, path: here }];
    return [
      { step, path: here },
      ...stepsIn(step.do ?? [], [...here, 'do']),
      ...stepsIn(step.else ?? [], [...here, 'else']),
    ];
  });
}
