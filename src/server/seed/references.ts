import { placeholdersOf } from '../model/placeholders.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';

/** What is wrong with what one part of a seed says of another, and where. */
export interface ReferenceProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What journeys may refer to. */
interface References {
  readonly segments?: readonly { readonly id: string }[] | undefined;
  readonly templates?: readonly { readonly id: string; readonly body: string }[] | undefined;
}

type Path = ReferenceProblem['path'];

/** Every step of a seed's journeys that names what the seed does not have, or sends a template otherwise than it is. */
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

/** The same of one journey, each with its place in it. */
export function problemsOfJourney(
  { steps }: JourneySeed,
  { segments = [], templates = [] }: References,
): readonly ReferenceProblem[] {
  const segmentIds = new Set(segments.map(({ id }) => id));
  const placeholders = new Map(templates.map(({ id, body }) => [id, placeholdersOf(body)]));
  return stepsIn(steps, ['steps']).flatMap(({ step, path }) => {
    if ('send' in step) return problemsOfSend(step, path, placeholders.get(step.send));
    if (!('branch' in step) || !('segment' in step.branch) || segmentIds.has(step.branch.segment)) return [];
    return [{ path: [...path, 'branch', 'segment'], message: 'is the id of none of the segments' }];
  });
}

function problemsOfSend(
  { variables = {} }: Extract<JourneyStepSeed, { readonly send: string }>,
  path: Path,
  placeholders: readonly string[] | undefined,
): readonly ReferenceProblem[] {
  if (placeholders === undefined) {
    return [{ path: [...path, 'send'], message: 'is the id of none of the templates' }];
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
      message: 'is for no placeholder of the template',
    })),
  ];
}

/** The steps and those within their branches, each with its place. */
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
