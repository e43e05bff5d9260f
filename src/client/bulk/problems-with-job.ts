import type { FieldProblem } from '../../foundation/field-problem.js';
import { aWholeNumber, type OptionChecks, problemsWith } from '../../foundation/options.js';
import { problemsWithOptions } from '../request/request-options.js';
import type { BulkJob } from './job.js';

const [isCount] = aWholeNumber(1);

const checks: OptionChecks = {
  concurrency: aWholeNumber(1),
  stopAfter: [
    (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
    'a whole number, 1 or more, or Infinity',
  ],
  total: aWholeNumber(0),
  patience: [
    (value) => typeof value === 'number' && value >= 0,
    'a number of milliseconds, 0 or more, or Infinity',
  ],
};

const inputChecks: OptionChecks = {
  inputs: [
    isIterable,
    'an iterable or async iterable of inputs, such as an array or a generator',
    'required',
  ],
};

/**
 * Checks the options of a bulk call. Each item is checked by its own call; a mistake in the options would otherwise reject
 * every item.
 */
export function problemsWithJob({
  inputs,
  options,
}: Pick<BulkJob<unknown, unknown>, 'inputs' | 'options'>): readonly FieldProblem[] {
  return [
    ...problemsWithOptions(options),
    ...problemsWith({ inputs }, inputChecks),
    ...problemsWith(options, checks),
  ];
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
