import type { Clock } from '../../foundation/clock.js';
import type { DeliveryTimestamps } from '../model/environment.js';

/** The clocks that can set the timestamps of deliveries. */
type Clocks = Readonly<Record<DeliveryTimestamps, Clock>>;

/**
 * Returns the clock that sets the timestamps of deliveries. It reads the setting at each call, because a workspace in a shared
 * store loads its settings after its start.
 */
export function deliveryClock(clocks: Clocks, setting: () => DeliveryTimestamps): Clock {
  return {
    now: () => clocks[setting()].now(),
    setTimer: (callback, delay) => clocks[setting()].setTimer(callback, delay),
  };
}
