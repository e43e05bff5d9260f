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

/**
 * Combines many calls into one query. While a query runs, further calls wait and form the next one. A single call waits for
 * one turn of the event loop.
 */
export class Batch<Input, Output> {
  readonly #run: (inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>;
  readonly #limit: number;
  readonly #pause: number;
  #waiting: Waiting<Input, Output>[] = [];
  #busy = false;

  /**
   * @param run - Returns an output for each input, in the same order.
   * @param limit - The largest number of calls in one query.
   * @param pause - How long the calls beyond the limit wait for the next query, in milliseconds.
   */
  constructor(
    run: (inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>,
    { limit = defaultLimit, pause = 0 }: { readonly limit?: number; readonly pause?: number } = {},
  ) {
    this.#run = run;
    this.#limit = limit;
    this.#pause = pause;
  }

  add(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      if (this.#busy) return;
      this.#busy = true;
      this.#flushNext();
    });
  }

  /** Callers that just got their outputs can add to the next batch first. */
  #flushNext(): void {
    setImmediate(async () => {
      await this.#answer(this.#waiting.splice(0, this.#limit));
      if (this.#waiting.length === 0) this.#busy = false;
      else if (this.#pause === 0) this.#flushNext();
      else setTimeout(() => this.#flushNext(), this.#pause);
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
