import type { BulkInputs } from './options.js';

/** One item of the input, and its place in it. */
export interface Item<Input> {
  readonly index: number;
  readonly input: Input;
}

/** Reads an input item by item, only when asked. Ask again once it has answered: many iterators bear no more. */
export class InputReader<Input> {
  readonly #inputs: BulkInputs<Input>;
  #iterator: Iterator<Input | PromiseLike<Input>> | AsyncIterator<Input> | undefined;
  #position = 0;
  #ended = false;
  #interrupt: (() => void) | undefined;
  #closed: Promise<void> = Promise.resolve();

  constructor(inputs: BulkInputs<Input>) {
    this.#inputs = inputs;
  }

  /** The place of the item that would be read next. */
  get position(): number {
    return this.#position;
  }

  /** Resolves once the input was told that no more of it is wanted. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** The next item; `undefined` when there is none, or no more are to be read. Rejects with what the input throws. */
  async read(): Promise<Item<Input> | undefined> {
    if (this.#ended) return undefined;
    try {
      const result = await this.#pull();
      if (result.done !== true) return { index: this.#position++, input: result.value };
      this.#ended = true;
      return undefined;
    } catch (error) {
      this.#ended = true;
      throw error;
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Reads no more, and does not wait for what is being read. */
  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    const closed = close(this.#iterator);
    // An input in the middle of a reading closes after it, and perhaps never.
    if (this.#interrupt === undefined) this.#closed = closed;
    else this.#interrupt();
  }

  /** One `next()` of the input, given up when the reading stops. Racing it would add to a promise as old as the run. */
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

  /** As `for await` has it: an item that comes as a promise is what that promise gives. */
  async #next(
    iterator: Iterator<Input | PromiseLike<Input>> | AsyncIterator<Input>,
  ): Promise<IteratorResult<Input, unknown>> {
    const result = await iterator.next();
    if (result.done === true) return result;
    try {
      return { done: false, value: await result.value };
    } catch (error) {
      this.#closed = close(iterator);
      throw error;
    }
  }
}

async function close(iterator: Iterator<unknown> | AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // The run is ending for a reason of its own; how the input takes it changes nothing.
  }
}
