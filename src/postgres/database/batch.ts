import { StoreBusyError } from '../../server/model/service-error.js';
import { idTaken } from '../../server/store/store.js';
import type { Database } from './connection.js';
import { failsForEach, isDuplicate } from './errors.js';

interface Waiting<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** The default limit of calls in one query. */
const defaultLimit = 1_000;

/** An output that makes only its own call fail. */
export class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

export interface BatchOptions<Input> {
  /**
   * Calls with the same key are combined, and one query of a key runs at a time. No key waits for another. Default: one key
   * for all calls.
   */
  readonly keyOf?: (input: Input) => string;
  /** Runs each query of a key, and can let it wait. Default: none waits. */
  readonly share?: Database['share'];
  /** The largest number of calls in one query. Default: 1,000. */
  readonly limit?: number;
  /** How long the calls beyond the limit wait for the next query, in milliseconds. Default: 0. */
  readonly pause?: number;
}

/**
 * The keys of calls that write. Each workspace has its own, because a write can wait for a lock on its workspace for long, such
 * as that of `replaceState`, and must not make other workspaces wait.
 */
export function byWorkspace(database: Database): BatchOptions<{ readonly workspaceId: string }> {
  return {
    keyOf: ({ workspaceId }) => workspaceId,
    share: (workspaceId, work) => database.share(workspaceId, work),
  };
}

/**
 * Combines many calls into one query. While a query runs, further calls with its key wait and form the next one. A single call
 * waits for one turn of the event loop.
 */
export class Batch<Input, Output> {
  readonly #run: (inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>;
  readonly #options: BatchOptions<Input>;
  /** The waiting calls of each key with a query that runs or will run. */
  readonly #waiting = new Map<string, Waiting<Input, Output>[]>();

  /** @param run - Returns an output for each input, in the same order. */
  constructor(
    run: (inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>,
    options: BatchOptions<NoInfer<Input>> = {},
  ) {
    this.#run = run;
    this.#options = options;
  }

  add(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      const key = this.#options.keyOf?.(input) ?? '';
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) {
        waiting.push({ input, resolve, reject });
        return;
      }
      this.#waiting.set(key, [{ input, resolve, reject }]);
      this.#flushNext(key);
    });
  }

  /** Callers that just got their outputs can add to the next batch first. */
  #flushNext(key: string): void {
    const { limit = defaultLimit, pause = 0 } = this.#options;
    setImmediate(async () => {
      const waiting = this.#waiting.get(key) ?? [];
      await this.#callAll(key, waiting.splice(0, limit));
      if (waiting.length === 0) this.#waiting.delete(key);
      else if (pause === 0) this.#flushNext(key);
      else setTimeout(() => this.#flushNext(key), pause);
    });
  }

  async #callAll(key: string, batch: readonly Waiting<Input, Output>[]): Promise<void> {
    const { share = (_, work) => work() } = this.#options;
    try {
      const outputs = await share(key, () => this.#run(batch.map(({ input }) => input)));
      if (outputs.length !== batch.length) throw new Error('A query of many calls did not respond to each.');
      for (const [index, output] of outputs.entries()) {
        if (output instanceof Failure) batch[index]?.reject(output.error);
        else batch[index]?.resolve(output);
      }
    } catch (error) {
      if (batch.length === 1 || failsForEach(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One bad input makes the whole query fail, so run each input alone.
      for (const each of batch) await this.#callAll(key, [each]);
    }
  }
}

/** After so many rounds, the inputs that are left fail. */
const mostRounds = 100;

/** An input that waits for its output, and its index. */
export interface Pending<Input> {
  readonly input: Input;
  readonly index: number;
}

/** Outputs by the indexes of their inputs. */
export type Outputs<Output> = ReadonlyMap<number, Output | Failure>;

/**
 * Processes inputs in rounds, with optimistic concurrency: a round reads, and writes only what has not changed since. Inputs
 * with a conflict go into the next round.
 */
export async function inRounds<Input, Output>(
  inputs: readonly Input[],
  round: (pending: readonly Pending<Input>[]) => Promise<Outputs<Output>>,
): Promise<readonly (Output | Failure)[]> {
  const outputs = new Map<number, Output | Failure>();
  let pending = inputs.map((input, index) => ({ input, index }));
  for (let rounds = 0; pending.length > 0 && rounds < mostRounds; rounds += 1) {
    for (const [index, output] of await isolated(pending, round)) outputs.set(index, output);
    pending = pending.filter(({ index }) => !outputs.has(index));
  }
  for (const { index } of pending) outputs.set(index, new Failure(forestalled()));
  return [...outputs].sort(([a], [b]) => a - b).map(([, output]) => output);
}

function forestalled(): StoreBusyError {
  const error = new StoreBusyError();
  error.cause = new Error(`Others changed the same contact or subscriptions ${mostRounds} times meanwhile.`);
  return error;
}

/** Inputs that change the same record, which is written once for all of them. */
export type Group<Input> = readonly [first: Pending<Input>, ...others: Pending<Input>[]];

/** Groups inputs by the record that they change. */
export function grouped<Input>(
  pending: readonly Pending<Input>[],
  keyOf: (input: Input) => readonly string[],
): readonly Group<Input>[] {
  const groups = new Map<string, [Pending<Input>, ...Pending<Input>[]]>();
  for (const each of pending) {
    const key = JSON.stringify(keyOf(each.input));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** Runs each input alone if a round fails, because one bad input makes the whole round fail. */
async function isolated<Input, Output>(
  pending: readonly Pending<Input>[],
  round: (pending: readonly Pending<Input>[]) => Promise<Outputs<Output>>,
): Promise<Outputs<Output>> {
  try {
    return await round(pending);
  } catch (error) {
    if (pending.length === 1 || failsForEach(error)) {
      const failure = new Failure(isDuplicate(error, 'contacts_pkey') ? idTaken() : error);
      return new Map(pending.map(({ index }) => [index, failure]));
    }
    const outputs = new Map<number, Output | Failure>();
    for (const each of pending) {
      for (const [index, output] of await isolated([each], round)) outputs.set(index, output);
    }
    return outputs;
  }
}
