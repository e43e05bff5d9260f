import type { Clock } from '../../foundation/clock.js';
import { aWholeNumber, type OptionChecks, problemsWith } from '../../foundation/options.js';
import { InvalidInputError } from '../errors/unanswered-errors.js';
import { type CallOptions, problemsWithOptions } from '../request/request-options.js';
import type { BulkInputs, SendManyOptions } from './options.js';

/** The client's clock and randomness, for the waits of a run. */
export interface BulkTiming {
  readonly clock: Clock;
  readonly random: () => number;
}

/** A bulk call: its items, the call for each item, and its options. */
export interface BulkJob<Input, Data> {
  readonly operation: { readonly name: string; readonly repeatable: boolean };
  readonly inputs: BulkInputs<Input>;
  readonly options: SendManyOptions;
  readonly timing: BulkTiming;
  /** A method and not a property, so that a job of a specific item type is assignable to a job of any type. */
  call(input: Input, options: CallOptions): PromiseLike<Data>;
  /** The template of a send. The service may reject all items with the same template. */
  templateOf?(input: Input): string;
  /** Whether the body of a success says that the call was carried out. Default: every success does. */
  isConfirmed?(data: Data): boolean;
}

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
export function checkJob({ operation, inputs, options }: BulkJob<unknown, unknown>): void {
  const problems = [
    ...problemsWithOptions(options),
    ...problemsWith({ inputs }, inputChecks),
    ...problemsWith(options, checks),
  ];
  if (problems.length > 0) throw new InvalidInputError(`${operation.name}Many`, problems);
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
