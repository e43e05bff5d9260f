/**
 * Hands values from those who make them to those who want them, without a store between: whoever gives waits until
 * somebody takes. That is what makes a slow reader slow the run down.
 */
export class Handover<Value> {
  readonly #offers: { readonly value: Value; readonly taken: () => void }[] = [];
  readonly #takers: ((value: Value | undefined) => void)[] = [];
  #closed = false;

  /** Resolves once the value is taken, or at once when nobody wants any. */
  give(value: Value): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const taker = this.#takers.shift();
    if (taker === undefined) return new Promise((taken) => this.#offers.push({ value, taken }));
    taker(value);
    return Promise.resolve();
  }

  /** The next value, once there is one; `undefined` after the end. */
  take(): Promise<Value | undefined> {
    const offer = this.#offers.shift();
    if (offer === undefined)
      return this.#closed ? Promise.resolve(undefined) : new Promise((taker) => this.#takers.push(taker));
    offer.taken();
    return Promise.resolve(offer.value);
  }

  /** Nobody takes any more: what is on offer, and what is given from now on, is dropped. */
  close(): void {
    this.#closed = true;
    for (const { taken } of this.#offers.splice(0)) taken();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }
}
