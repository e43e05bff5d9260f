import { failsForEach } from './lost-connection.js';

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
   * Calls of the same lane are combined, and one query of a lane runs at a time. No lane waits for another. Default: one lane
   * for all calls.
   */
  readonly laneOf?: (input: Input) => string;
  /** The largest number of calls in one query. Default: 1,000. */
  readonly limit?: number;
  /** How long the calls beyond the limit wait for the next query, in milliseconds. Default: 0. */
  readonly pause?: number;
}

/**
 * The lanes of calls that write. Each workspace has its own, because a write can wait for a lock on its workspace for long, such
 * as that of `replaceState`, and must not make other workspaces wait.
 */
export const byWorkspace = {
  laneOf: ({ workspaceId }: { readonly workspaceId: string }): string => workspaceId,
};

/**
 * Combines many calls into one query. While a query runs, further calls of its lane wait and form the next one. A single call
 * waits for one turn of the event loop.
 */
export class Batch<Input, Output> {
  readonly #run: (inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>;
  readonly #options: BatchOptions<Input>;
  /** The waiting calls of each lane with a query that runs or will run. */
  readonly #lanes = new Map<string, Waiting<Input, Output>[]>();

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
      const lane = this.#options.laneOf?.(input) ?? '';
      const waiting = this.#lanes.get(lane);
      if (waiting !== undefined) {
        waiting.push({ input, resolve, reject });
        return;
      }
      this.#lanes.set(lane, [{ input, resolve, reject }]);
      this.#flushNext(lane);
    });
  }

  /** Callers that just got their outputs can add to the next batch first. */
  #flushNext(lane: string): void {
    const { limit = defaultLimit, pause = 0 } = this.#options;
    setImmediate(async () => {
      const waiting = this.#lanes.get(lane) ?? [];
      await this.#answer(waiting.splice(0, limit));
      if (waiting.length === 0) this.#lanes.delete(lane);
      else if (pause === 0) this.#flushNext(lane);
      else setTimeout(() => this.#flushNext(lane), pause);
    });
  }

  async #answer(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.#run(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) throw new Error('A query of many calls did not answer each.');
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
      for (const each of batch) await this.#answer([each]);
    }
  }
}
