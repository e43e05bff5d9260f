import type { BulkInputs } from './options.js';

/** An item of the input, and its index. */
export interface Item<Input> {
  readonly index: number;
  readonly input: Input;
}

/**
 * Reads an input item by item, on demand. Do not call `next` concurrently: many iterators do not support it.
 */
export class InputReader<Input> {
  /** The index of the next item. */
  position = 0;
  /** Resolves once the input is closed. */
  closed: Promise<void> = Promise.resolve();
  readonly #inputs: BulkInputs<Input>;
  #iterator: Iterator<Input | PromiseLike<Input>> | AsyncIterator<Input> | undefined;
  #ended = false;
  #interrupt: (() => void) | undefined;

  constructor(inputs: BulkInputs<Input>) {
    this.#inputs = inputs;
  }

  /** The next item; `undefined` at the end or after `stop`. Rejects with what the input throws. */
  async read(): Promise<Item<Input> | undefined> {
    if (this.#ended) return undefined;
    try {
      const result = await this.#pull();
      if (result.done !== true) return { index: this.position++, input: result.value };
      this.#ended = true;
      return undefined;
    } catch (error) {
      this.#ended = true;
      throw error;
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Stops reading, and does not wait for a pending read. */
  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    const closed = close(this.#iterator);
    // An input with a pending read closes after that read, or never.
    if (this.#interrupt === undefined) this.closed = closed;
    else this.#interrupt();
  }

  /** One `next()` of the input, abandoned on `stop`. `Promise.race` would leak reactions on a promise as old as the run. */
  #pull(): Promise<IteratorResult<Input, unknown>> {
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve({ done: true, value: undefined });
      this.#iterator ??=
        Symbol.asyncIterator in this.#inputs
          ? this.#inputs[Symbol.asyncIterator]()
          : this.#inputs[Symbol.iterator]();
      this.#next(this.#iterator).then(resolve, reject);
    });
  }

  /** Like `for await`: if an item is a promise, its value is the item. */
  async #next(
    iterator: Iterator<Input | PromiseLike<Input>> | AsyncIterator<Input>,
  ): Promise<IteratorResult<Input, unknown>> {
    const result = await iterator.next();
    if (result.done === true) return result;
    try {
      return { done: false, value: await result.value };
    } catch (error) {
      this.closed = close(iterator);
      throw error;
    }
  }
}

async function close(iterator: Iterator<unknown> | AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // The run is ending anyway, so an error of the input does not matter.
  }
}
