import { StoreBusyError } from '../../server/model/service-error.js';
import { failsForEach } from './errors.js';

interface Call<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
  /** How many queries had a conflict for it. */
  conflicts: number;
}

/** The default limit of calls in one query. */
const defaultLimit = 1_000;

/** After so many conflicts, a call fails. */
const mostConflicts = 100;

/** An output that makes only its own call fail. */
export class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** The output of a call that has changed nothing, because what it read has changed since. The next query repeats the call. */
export const conflict = Symbol('conflict');

/** The output of a query for one call. */
export type CallOutput<Output> = Output | Failure | typeof conflict;

export interface BatchOptions {
  /** The largest number of calls in one query. Default: 1,000. */
  readonly limit?: number;
  /** How long the calls beyond the limit wait for the next query, in milliseconds. Default: 0. */
  readonly pause?: number;
}

/**
 * Combines many calls into one query. While a query runs, further calls wait and form the next one. A single call waits for one
 * turn of the event loop.
 *
 * Each workspace has its own batches, because a write can wait for a lock on its workspace for long, such as that of `replaceState`,
 * and must not make other workspaces wait.
 */
export class Batch<Input, Output> {
  readonly #run: (inputs: readonly Input[]) => Promise<readonly CallOutput<Output>[]>;
  readonly #options: BatchOptions;
  readonly #waiting: Call<Input, Output>[] = [];
  #isRunning = false;

  /** @param run - Returns an output for each input, in the same order. */
  constructor(
    run: (inputs: readonly Input[]) => Promise<readonly CallOutput<Output>[]>,
    options: BatchOptions = {},
  ) {
    this.#run = run;
    this.#options = options;
  }

  add(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject, conflicts: 0 });
      if (this.#isRunning) return;
      this.#isRunning = true;
      this.#flushNext();
    });
  }

  /** Callers that just got their outputs can add to the next batch first. */
  #flushNext(): void {
    const { limit = defaultLimit, pause = 0 } = this.#options;
    setImmediate(async () => {
      await this.#callAll(this.#waiting.splice(0, limit));
      if (this.#waiting.length === 0) this.#isRunning = false;
      else if (pause === 0) this.#flushNext();
      else setTimeout(() => this.#flushNext(), pause);
    });
  }

  async #callAll(calls: readonly Call<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.#run(calls.map(({ input }) => input));
      if (outputs.length !== calls.length) throw new Error('A query of many calls did not respond to each.');
      const repeated: Call<Input, Output>[] = [];
      for (const [index, output] of outputs.entries()) {
        const call = calls[index];
        if (output instanceof Failure) call?.reject(output.error);
        else if (output !== conflict) call?.resolve(output);
        else if (call !== undefined) repeated.push(call);
      }
      this.#repeat(repeated);
    } catch (error) {
      if (calls.length === 1 || failsForEach(error)) {
        for (const { reject } of calls) reject(error);
        return;
      }
      // One bad input makes the whole query fail, so run each input alone.
      for (const call of calls) await this.#callAll([call]);
    }
  }

  #repeat(calls: readonly Call<Input, Output>[]): void {
    for (const call of calls) {
      call.conflicts += 1;
      if (call.conflicts === mostConflicts) call.reject(forestalled());
    }
    this.#waiting.unshift(...calls.filter(({ conflicts }) => conflicts < mostConflicts));
  }
}

function forestalled(): StoreBusyError {
  const error = new StoreBusyError();
  error.cause = new Error(
    `Others changed the same contact or subscriptions ${mostConflicts} times meanwhile.`,
  );
  return error;
}

/** An input of a query, with its index among the inputs. */
export type Indexed<Input> = readonly [index: number, input: Input];

/** Inputs that change the same record, which is written once for all of them. */
export type Group<Input> = readonly [first: Indexed<Input>, ...others: Indexed<Input>[]];

/** Groups inputs by the record that they change. */
export function grouped<Input>(
  inputs: Iterable<Indexed<Input>>,
  keyOf: (input: Input) => string,
): readonly Group<Input>[] {
  const groups = new Map<string, [Indexed<Input>, ...Indexed<Input>[]]>();
  for (const each of inputs) {
    const key = keyOf(each[1]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}
