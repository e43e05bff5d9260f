import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { messageOf } from '../surface/refused-error.js';
import { whenVisible } from './time.js';

/** How long changes gather before the page asks. In milliseconds. */
const gatherFor = 300;

/** How much of a value that keeps changing the page asks for. In bytes per millisecond. */
const pace = 8;

/** What a request weighs besides its value. In bytes. */
const request = 1_000;

/** A value from the server that the page keeps up to date. */
export interface Resource<Value> {
  /** The value. Undefined until it is loaded. While something reads it, the page reloads it after each change. */
  readonly value: Value | undefined;
  /** The error of the last request, if it failed. */
  readonly problem: string | undefined;
  /** Loads the value now. */
  refresh(): Promise<void>;
}

/**
 * Creates a resource, which loads its value while something shows it: at once and after each change. Before the first change, which is the
 * start of the stream, it loads nothing: what it loaded then might be outdated without a word. While changes go on, a large
 * value is loaded less often than a small one. While the page is hidden, nothing is loaded.
 */
export function createResource<Value>(
  load: () => Promise<Value>,
  changes: ReadonlySignal<number>,
): Resource<Value> {
  const problem = signal<string>();
  let stopWatching = () => {};
  const value = signal<Value | undefined>(undefined, {
    watched: () => {
      stopWatching = effect(() => {
        if (changes.value <= known) return;
        if (isNew()) void refresh();
        else askSoon();
      });
    },
    unwatched: () => stopWatching(),
  });
  /** The last change before the last request. */
  let known = 0;
  let asking: Promise<void> | undefined;
  const isNew = () => value.peek() === undefined && problem.peek() === undefined && asking === undefined;
  let isOutdated = false;
  let mayAskAt = 0;
  const ask = async () => {
    do {
      isOutdated = false;
      known = changes.peek();
      try {
        value.value = await load();
        problem.value = undefined;
        mayAskAt = Date.now() + (request + JSON.stringify(value.peek() ?? null).length) / pace;
      } catch (error) {
        problem.value = messageOf(error);
      }
    } while (isOutdated);
    asking = undefined;
  };
  const refresh = () => {
    isOutdated = true;
    asking ??= ask();
    return asking;
  };
  let isWaiting = false;
  const askSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(
      () =>
        whenVisible(() => {
          isWaiting = false;
          void refresh();
        }),
      Math.max(gatherFor, mayAskAt - Date.now()),
    );
  };
  return {
    get value() {
      if (changes.peek() > 0 && isNew()) void refresh();
      return value.value;
    },
    get problem() {
      return problem.value;
    },
    refresh,
  };
}
