import type { FieldProblem } from '../../foundation/field-problem.js';
import { problemsWithOptions } from '../request/request.js';
import type { BulkJob } from './job.js';

/**
 * What is wrong with a bulk call itself. Its items are judged one by one, each by its own call; the options are
 * judged here, or else a mistake in them would reject every item there is.
 */
export function problemsWithJob({
  inputs,
  options,
}: Pick<BulkJob<unknown, unknown>, 'inputs' | 'options'>): readonly FieldProblem[] {
  const { concurrency = 1 } = options;
  const problems = [...problemsWithOptions(options)];
  if (!isIterable(inputs)) {
    const message = 'must be an iterable or async iterable of inputs, such as an array or a generator';
    problems.push({ field: 'inputs', message });
  }
  if (!Number.isInteger(concurrency) || concurrency < 1)
    problems.push({ field: 'concurrency', message: 'must be a whole number, 1 or more' });
  return problems;
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
