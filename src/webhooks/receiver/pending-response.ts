import type { ReceiverResponse } from './exchange.js';
import type { TimedWaits } from './waits.js';

/** The part of the deadline after which a delivery is slow. */
const slowAfter = 0.8;

/** The response to one request: it is given once, at the latest when the time is up. */
export class PendingResponse {
  /** What the sender got. */
  given: ReceiverResponse | undefined;
  /** Whether the receiver responded before all work was done. */
  isEarly = false;
  #onGiven: ((response: ReceiverResponse) => void) | undefined;
  #cancelWait = () => {};

  /** Gives the response. Only the first one counts. */
  give(response: ReceiverResponse, isEarly = false): void {
    if (this.given !== undefined) return;
    this.given = response;
    this.isEarly = isEarly;
    this.#cancelWait();
    this.#onGiven?.(response);
  }

  /**
   * Waits for the response.
   *
   * @param deadline How long the sender waits, in milliseconds since the arrival. At four fifths of it, `onSlow` is called, and at its end
   *   `late` returns the response.
   */
  within(
    deadline: number,
    {
      waits,
      arrival,
      onSlow,
      late,
    }: {
      readonly waits: TimedWaits;
      readonly arrival: number;
      readonly onSlow: () => void;
      readonly late: () => ReceiverResponse;
    },
  ): Promise<ReceiverResponse> {
    const warnAfter = slowAfter * deadline;
    const end = () => this.give(late(), true);
    const warn = () => {
      onSlow();
      // A process that was busy may be past the end already.
      if (waits.now() >= arrival + deadline) end();
      else this.#cancelWait = waits.start(deadline - warnAfter, end, arrival + warnAfter);
    };
    return new Promise((resolve) => {
      this.#onGiven = resolve;
      this.#cancelWait = waits.start(warnAfter, warn, arrival);
    });
  }
}
