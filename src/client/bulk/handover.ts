/**
 * Passes values from producers to consumers without a buffer: `give` waits until `take` takes the value. So a slow
 * reader slows the run down.
 */
export class Handover<Value> {
  readonly #offers: { readonly value: Value; readonly taken: () => void }[] = [];
  readonly #takers: ((value: Value | undefined) => void)[] = [];
  #closed = false;

  /** Resolves once the value is taken, or at once after `close`. */
  give(value: Value): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const taker = this.#takers.shift();
    if (taker === undefined) return new Promise((taken) => this.#offers.push({ value, taken }));
    taker(value);
    return Promise.resolve();
  }

  /** Returns the next value, as soon as one exists; `undefined` after the end. */
  take(): Promise<Value | undefined> {
    const offer = this.#offers.shift();
    if (offer === undefined)
      return this.#closed ? Promise.resolve(undefined) : new Promise((taker) => this.#takers.push(taker));
    offer.taken();
    return Promise.resolve(offer.value);
  }

  /** Ends the handover from the side of the consumer: offered values and later ones are dropped. */
  close(): void {
    this.#closed = true;
    for (const { taken } of this.#offers.splice(0)) taken();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }
}
