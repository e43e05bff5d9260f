import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { VariableSource } from '../model/variable-source.js';
import { toMilliseconds } from '../time/duration.js';
import { duration, name } from './fields.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';
import { propertyConditionSchema } from './property-condition-schema.js';

/** How deeply branches can nest. */
const deepestNesting = 10;

/** This limit keeps every chain of waits within the range of dates. */
const longestWait = toMilliseconds('3650d');

const wait = duration.check(
  z.refine((length) => toMilliseconds(length) <= longestWait, 'must be ten years (3650d) or less'),
);

const condition = z.union([z.strictObject({ segment: name }), propertyConditionSchema], {
  error:
    "must be { segment: 'its id' }, or a property and one condition on it: equals, exists, includes, atLeast or below",
});

const variableSource: Schema<VariableSource> = z.union(
  [
    z.string().check(z.minLength(1)),
    z.strictObject({ contact: z.string() }),
    z.strictObject({ event: z.string() }),
  ],
  { error: "must be text, { contact: 'a property' } or { event: 'a property' }" },
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
    z.refine((step) => step.branch !== undefined || step.do === undefined, {
      path: ['do'],
      error: 'requires branch in the same step',
    }),
    z.refine((step) => step.branch !== undefined || step.else === undefined, {
      path: ['else'],
      error: 'requires branch in the same step',
    }),
    z.refine((step) => step.send !== undefined || step.variables === undefined, {
      path: ['variables'],
      error: 'requires send in the same step',
    }),
    z.refine((step) => step.branch === undefined || step.do !== undefined || step.else !== undefined, {
      path: ['branch'],
      error: 'has no steps: add do, else or both',
    }),
  );
  return z.array(z.pipe(step, z.transform(toStep))).check(z.minLength(1));
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

export const journeySeedSchema: Schema<JourneySeed> = z.strictObject({
  id: name,
  event: name,
  steps: stepsSchema(deepestNesting),
});
