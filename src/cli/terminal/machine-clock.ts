import type { Clock } from '../../webhooks/index.js';

/** The machine's clock. */
export const machineClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delay) {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};
