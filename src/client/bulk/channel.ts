/**
 * An unbuffered channel: `send` waits until `receive` takes the value. So a slow consumer slows the run down.
 */
export class Channel<Value> {
  readonly #pending: { readonly value: Value; readonly received: () => void }[] = [];
  readonly #receivers: ((value: Value | undefined) => void)[] = [];
  #closed = false;

  /** Resolves when the value was received, or immediately after `close`. */
  send(value: Value): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const receiver = this.#receivers.shift();
    if (receiver === undefined) return new Promise((received) => this.#pending.push({ value, received }));
    receiver(value);
    return Promise.resolve();
  }

  /** Resolves with the next value. `undefined` after `close`. */
  receive(): Promise<Value | undefined> {
    const next = this.#pending.shift();
    if (next === undefined)
      return this.#closed
        ? Promise.resolve(undefined)
        : new Promise((receiver) => this.#receivers.push(receiver));
    next.received();
    return Promise.resolve(next.value);
  }

  /** Closes the channel for the consumer: drops pending and later values. */
  close(): void {
    this.#closed = true;
    for (const { received } of this.#pending.splice(0)) received();
    for (const receiver of this.#receivers.splice(0)) receiver(undefined);
  }
}
