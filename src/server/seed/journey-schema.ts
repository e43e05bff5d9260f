import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { VariableSource } from '../model/variable-source.js';
import { toMilliseconds } from '../time/duration.js';
import { duration, name } from './fields.js';
import type { JourneySeed, JourneyStepSeed } from './journey-seed.js';
import { propertyConditionSchema } from './property-condition-schema.js';

/** How many branches may stand in one another. */
const deepestNesting = 10;

/** With a bound to each wait, no chain of them leads to a time that has no date. */
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
  `stands too deep: no more than ${deepestNesting} branches may stand in one another`,
);

/** A step with the fields of every kind, of which those of one are given. */
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
    z.refine(isOfOneKind, 'must be one thing: a wait, a branch or a send'),
    z.refine((step) => step.branch !== undefined || step.do === undefined, {
      path: ['do'],
      error: 'must stand beside a branch',
    }),
    z.refine((step) => step.branch !== undefined || step.else === undefined, {
      path: ['else'],
      error: 'must stand beside a branch',
    }),
    z.refine((step) => step.send !== undefined || step.variables === undefined, {
      path: ['variables'],
      error: 'must stand beside a send',
    }),
    z.refine((step) => step.branch === undefined || step.do !== undefined || step.else !== undefined, {
      path: ['branch'],
      error: 'leads nowhere: give it steps under do, under else, or both',
    }),
  );
  return z.array(z.pipe(step, z.transform(toStep))).check(z.minLength(1));
}

function isOfOneKind({ wait, branch, send }: StepFields): boolean {
  return [wait, branch, send].filter((kind) => kind !== undefined).length === 1;
}

/** The same step as what its one kind makes it. */
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
