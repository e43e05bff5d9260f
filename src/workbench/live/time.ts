import { type ReadonlySignal, signal } from '@preact/signals';

/** The machine's time, which moves on each second while something shows it. */
export function createTicker(): ReadonlySignal<number> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const ticker = signal(Date.now(), {
    watched: () => {
      timer = setInterval(() => {
        ticker.value = Date.now();
      }, 1_000);
    },
    unwatched: () => clearInterval(timer),
  });
  return ticker;
}
