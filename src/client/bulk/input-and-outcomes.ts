import type { BulkInputs } from './options.js';

/** An item of the input, and its index. */
export interface Item<Input> {
  readonly index: number;
  readonly input: Input;
}

/**
 * Reads an input item by item, on demand. Do not call `read` concurrently, so that `stop` knows the pending read.
 */
export class InputReader<Input> {
  /** The index of the next item. */
  position = 0;
  /** Resolves once the input is closed. */
  closed: Promise<unknown> = Promise.resolve();
  readonly #items: AsyncGenerator<Input, undefined>;
  #ended = false;
  #interrupt: (() => void) | undefined;

  constructor(inputs: BulkInputs<Input>) {
    this.#items = itemsOf(inputs);
  }

  /** The next item; `undefined` at the end or after `stop`. Rejects with what the input throws. */
  async read(): Promise<Item<Input> | undefined> {
    if (this.#ended) return undefined;
    // `Promise.race` would leak reactions on a promise as old as the run.
    const result = await new Promise<IteratorResult<Input, undefined>>((resolve, reject) => {
      this.#interrupt = () => resolve({ done: true, value: undefined });
      this.#items.next().then(resolve, reject);
    });
    this.#interrupt = undefined;
    if (result.done === true) return undefined;
    return { index: this.position++, input: result.value };
  }

  /** Stops reading, and does not wait for a pending read. */
  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    // The run is ending anyway, so an error of the input does not matter.
    const closed = this.#items.return(undefined).catch(() => {});
    // An input with a pending read closes after that read, or never.
    if (this.#interrupt === undefined) this.closed = closed;
    else this.#interrupt();
  }
}

/** The items of an input. If an item is a promise, its value is the item. */
async function* itemsOf<Input>(inputs: BulkInputs<Input>): AsyncGenerator<Input, undefined> {
  if (Symbol.asyncIterator in inputs) for await (const input of inputs) yield input;
  // Not with `for await`, which leaves the input open when a promise of it rejects.
  else for (const input of inputs) yield input;
}

/** An unbuffered channel: `send` waits until `receive` takes the outcome. So a slow loop slows the run down. */
export class OutcomeChannel<Outcome> {
  readonly #sent: { readonly outcome: Outcome; readonly received: () => void }[] = [];
  readonly #receivers: ((outcome: Outcome | undefined) => void)[] = [];
  #closed = false;

  /** Resolves when the outcome was received, or immediately after `close`. */
  async send(outcome: Outcome): Promise<void> {
    if (this.#closed) return;
    const receiver = this.#receivers.shift();
    if (receiver === undefined) await new Promise<void>((received) => this.#sent.push({ outcome, received }));
    else receiver(outcome);
  }

  /** Resolves with the next outcome. `undefined` after `close`. */
  async receive(): Promise<Outcome | undefined> {
    const next = this.#sent.shift();
    next?.received();
    if (next !== undefined || this.#closed) return next?.outcome;
    return new Promise((receiver) => this.#receivers.push(receiver));
  }

  /** Drops the outcomes that nobody received, and all later ones. */
  close(): void {
    this.#closed = true;
    for (const { received } of this.#sent.splice(0)) received();
    for (const receiver of this.#receivers.splice(0)) receiver(undefined);
  }
}
