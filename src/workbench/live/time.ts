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

/** How long changes gather before the page shows them. In milliseconds. A frame of a screen takes 16. */
const gatherFor = 16;

/** Returns a function that schedules `run`: at once, or some time after the last run. Calls in between cause one run. */
export function gathered(run: () => void): () => void {
  let isWaiting = false;
  let mayRunAt = 0;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      run();
      mayRunAt = Date.now() + gatherFor;
    }, mayRunAt - Date.now());
  };
}

/** Runs once the browser shows the page: at once, or when its tab comes to the front. */
export function whenVisible(run: () => void): void {
  if (globalThis.document?.visibilityState !== 'hidden') run();
  else document.addEventListener('visibilitychange', () => whenVisible(run), { once: true });
}
