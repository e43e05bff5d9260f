import type { FieldProblem } from '../../foundation/field-problem.js';
import { problemsWithOptions } from '../request/request-options.js';
import type { BulkJob } from './job.js';

/**
 * Checks the options of a bulk call. Each item is checked by its own call; a mistake in the options would otherwise reject
 * every item.
 */
export function problemsWithJob({
  inputs,
  options,
}: Pick<BulkJob<unknown, unknown>, 'inputs' | 'options'>): readonly FieldProblem[] {
  const { concurrency = 1, stopAfter = 1, total = 0, patience = 0 } = options;
  const problems = [...problemsWithOptions(options)];
  const complain = (field: string, message: string) => problems.push({ field, message });
  if (!isIterable(inputs))
    complain('inputs', 'must be an iterable or async iterable of inputs, such as an array or a generator');
  if (!isCount(concurrency, 1)) complain('concurrency', 'must be a whole number, 1 or more');
  if (!isCount(stopAfter, 1) && stopAfter !== Number.POSITIVE_INFINITY)
    complain('stopAfter', 'must be a whole number, 1 or more, or Infinity');
  if (!isCount(total, 0)) complain('total', 'must be a whole number, 0 or more');
  if (typeof patience !== 'number' || !(patience >= 0))
    complain('patience', 'must be a number of milliseconds, 0 or more, or Infinity');
  return problems;
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
