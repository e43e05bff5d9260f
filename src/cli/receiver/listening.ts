import type { Clock } from '../../webhooks/index.js';
import type { ControlSurface } from '../running-server/control-surface.js';
import { CommandFailure } from '../terminal/failures.js';
import { timeLimit } from '../terminal/time.js';

/** The request that creates a listener. */
export interface Subscribing {
  /** Where the deliveries are forwarded to, for the server to show. */
  readonly url: string;
  readonly events?: readonly string[];
  readonly secret: string;
}

/** How long unsubscribing may take. In milliseconds. */
const longestFarewell = 3_000;

/** A listener at a server. If the server removed it, `connect` creates another one with the same secret. */
export class Listening {
  readonly #surface: ControlSurface;
  readonly #subscribing: Subscribing;
  readonly #clock: Clock;
  #listenerId: string | undefined;

  constructor(surface: ControlSurface, subscribing: Subscribing, clock: Clock) {
    this.#surface = surface;
    this.#subscribing = subscribing;
    this.#clock = clock;
  }

  /** Opens the stream of its attempts. */
  async connect(signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const earlier = this.#listenerId === undefined ? undefined : await this.#streamIfThere(signal);
    if (earlier !== undefined) return earlier;
    const request = { body: this.#subscribing, signal, expected: 'id' };
    const { id } = await this.#surface.ask('POST', '/control/listeners', request);
    this.#listenerId = `${id}`;
    return this.#stream(signal);
  }

  /** Unsubscribes if the server answers. Otherwise the server removes the listener after a minute. */
  async leave(): Promise<void> {
    if (this.#listenerId === undefined) return;
    const limit = timeLimit(this.#clock, longestFarewell);
    await this.#surface
      .ask('DELETE', `/control/listeners/${this.#listenerId}`, { signal: limit.signal })
      .catch(() => {});
    limit.clear();
  }

  #stream(signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.#surface.stream(`/control/listeners/${this.#listenerId}/attempts`, { signal });
  }

  #streamIfThere(signal: AbortSignal) {
    return this.#stream(signal).catch((error: unknown) => {
      if (!(error instanceof CommandFailure) || error.status !== 404) throw error;
      return undefined;
    });
  }
}
