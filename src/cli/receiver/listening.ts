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
export function listenerAt(surface: ControlSurface, subscribing: Subscribing, clock: Clock) {
  let listenerId: unknown;
  const stream = (signal: AbortSignal) =>
    surface.stream(`/control/listeners/${listenerId}/attempts`, { signal });
  return {
    /** Opens the stream of its attempts. */
    async connect(signal: AbortSignal) {
      if (listenerId !== undefined) {
        try {
          return await stream(signal);
        } catch (error) {
          if (!(error instanceof CommandFailure) || error.status !== 404) throw error;
        }
      }
      const request = { body: subscribing, signal, expected: 'id' };
      ({ id: listenerId } = await surface.ask('POST', '/control/listeners', request));
      return stream(signal);
    },

    /** Unsubscribes if the server answers. Otherwise the server removes the listener after a minute. */
    async leave(): Promise<void> {
      if (listenerId === undefined) return;
      const { signal, clear } = timeLimit(clock, longestFarewell);
      await surface.ask('DELETE', `/control/listeners/${listenerId}`, { signal }).catch(() => {});
      clear();
    },
  };
}
