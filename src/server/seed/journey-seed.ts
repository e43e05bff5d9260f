import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type {
  JourneyRecord,
  JourneyStepRecord,
  PropertyCondition,
  VariableSource,
} from '../model/records.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { duration, name, propertyConditionSchema } from './fields.js';

/**
 * One step of a journey: a wait, a branch, or a send. A branch runs `do` or `else`, and then the journey continues with
 * the next step. At most ten branches can nest.
 *
 * @example
 * ```ts
 * import type { JourneyStepSeed } from 'messaging-automation/server';
 *
 * const steps: JourneyStepSeed[] = [
 *   { wait: '1h' },
 *   {
 *     branch: { segment: 'regulars' },
 *     do: [{ send: 'thank_you', variables: { '1': { contact: 'firstName' } } }],
 *     else: [{ send: 'welcome' }],
 *   },
 * ];
 * ```
 */
export type JourneyStepSeed =
  /** Waits this long. Maximum: ten years. */
  | { readonly wait: Duration }
  | {
      /** The condition. The server checks it when the step runs. */
      readonly branch: PropertyCondition | { readonly segment: string };
      /** The steps if the condition is true. The name is not `then`, because linters treat such an object as a promise. */
      readonly do?: readonly JourneyStepSeed[] | undefined;
      /** The steps if the condition is false. */
      readonly else?: readonly JourneyStepSeed[] | undefined;
    }
  | {
      /** The template's id. */
      readonly send: string;
      readonly variables?: Readonly<Record<string, VariableSource>> | undefined;
    };

/**
 * A journey: the steps that run after an event. Each event with this name starts a new run for its contact.
 *
 * @example
 * ```ts
 * import type { JourneySeed } from 'messaging-automation/server';
 *
 * const journey: JourneySeed = {
 *   id: 'order_follow_up',
 *   event: 'order_placed',
 *   steps: [{ wait: '1d' }, { send: 'how_was_it', variables: { '1': { event: 'orderId' } } }],
 * };
 * ```
 */
export interface JourneySeed {
  readonly id: string;
  /** The name of the event that starts the journey. */
  readonly event: string;
  readonly steps: readonly JourneyStepSeed[];
}

/** How deeply branches can nest. */
const deepestNesting = 10;

/** This limit keeps every chain of waits within the range of dates. */
const longestWait = toMilliseconds('3650d');

const wait = duration.check(
  z.refine((length) => toMilliseconds(length) <= longestWait, 'must be ten years (3650d) or less'),
);

const condition = z.lazy(() =>
  z.union([z.strictObject({ segment: name }), propertyConditionSchema], {
    error:
      "must be { segment: 'its id' }, or a property and one condition on it: equals, exists, includes, atLeast or below",
  }),
);

const variableSource: Schema<VariableSource> = z.lazy(() =>
  z.union(
    [
      z.string().check(z.minLength(1)),
      z.strictObject({ contact: z.string() }),
      z.strictObject({ event: z.string() }),
    ],
    { error: "must be text, { contact: 'a property' } or { event: 'a property' }" },
  ),
);

const tooDeep = z.custom<readonly JourneyStepSeed[]>(
  () => false,
  `is nested too deeply: at most ${deepestNesting} branches can nest`,
);

/** A step with the fields of every kind. A step uses the fields of exactly one kind. */
const stepFields = (branchesLeft: number) => {
  const steps = z.optional(z.lazy(() => (branchesLeft === 0 ? tooDeep : stepsSchema(branchesLeft - 1))));
  return z.strictObject({
    wait: z.optional(wait),
    branch: z.optional(condition),
    do: steps,
    else: steps,
    send: z.optional(name),
    variables: z.optional(z.record(z.string(), variableSource)),
  });
};

type StepFields = z.infer<ReturnType<typeof stepFields>>;

function stepsSchema(branchesLeft: number): Schema<readonly JourneyStepSeed[]> {
  const step = stepFields(branchesLeft).check(
    z.refine(isOfOneKind, 'must have exactly one of wait, branch and send'),
    requires('do', 'branch'),
    requires('else', 'branch'),
    requires('variables', 'send'),
    z.refine((step) => step.branch === undefined || step.do !== undefined || step.else !== undefined, {
      path: ['branch'],
      error: 'has no steps: add do, else or both',
    }),
  );
  return z.array(z.pipe(step, z.transform(toStep))).check(z.minLength(1));
}

/** A field that only fits beside another one. */
function requires(field: keyof StepFields, other: keyof StepFields) {
  return z.refine<StepFields>((step) => step[other] !== undefined || step[field] === undefined, {
    path: [field],
    error: `requires ${other} in the same step`,
  });
}

function isOfOneKind({ wait, branch, send }: StepFields): boolean {
  return [wait, branch, send].filter((kind) => kind !== undefined).length === 1;
}

/** Returns the step with the fields of its kind. */
function toStep(step: StepFields): JourneyStepSeed {
  if (step.wait !== undefined) return { wait: step.wait };
  if (step.send !== undefined) return { send: step.send, variables: step.variables };
  if (step.branch !== undefined) return { branch: step.branch, do: step.do, else: step.else };
  return z.NEVER;
}

export const journeySeedSchema: Schema<JourneySeed> = z.lazy(() =>
  z.strictObject({
    id: name,
    event: name,
    steps: stepsSchema(deepestNesting),
  }),
);

/** Flattens the branches of a journey: the steps of `do` follow the branch, then the steps of `else`. */
export function compileJourney({ id, event, steps }: JourneySeed): JourneyRecord {
  return { id, event, steps: layOut(steps, 0) };
}

/** Flattens a list of steps whose first step gets the index `start`. */
function layOut(steps: readonly JourneyStepSeed[], start: number): readonly JourneyStepRecord[] {
  const laidOut: JourneyStepRecord[] = [];
  for (const step of steps) laidOut.push(...flat(step, start + laidOut.length));
  return laidOut;
}

function flat(step: JourneyStepSeed, at: number): readonly JourneyStepRecord[] {
  if ('wait' in step) return [{ kind: 'wait', duration: toMilliseconds(step.wait) }];
  if ('send' in step) return [{ kind: 'send', templateId: step.send, variables: step.variables ?? {} }];
  const holds = layOut(step.do ?? [], at + 1);
  const end = at + 1 + holds.length;
  if (step.else === undefined) return [{ kind: 'branch', on: step.branch, otherwise: end }, ...holds];
  const otherwise = end + 1;
  const doesNotHold = layOut(step.else, otherwise);
  return [
    { kind: 'branch', on: step.branch, otherwise },
    ...holds,
    { kind: 'jump', to: otherwise + doesNotHold.length },
    ...doesNotHold,
  ];
}
