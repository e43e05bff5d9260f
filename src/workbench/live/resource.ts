import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { messageOf } from '../surface/refused-error.js';
import { gathered } from './time.js';

/** The shortest interval between two requests for a value. In milliseconds. */
const askAgainAfter = 300;

/** A value from the server that the page keeps up to date. */
export interface Resource<Value> {
  /** The value. Undefined until it is loaded. While something reads it, the page reloads it after each change. */
  readonly value: Value | undefined;
  /** The error of the last request, if it failed. */
  readonly problem: string | undefined;
  /** Loads the value now. */
  refresh(): Promise<void>;
}

/** Creates a resource, which loads its value while something shows it: at once and after each change. */
export function createResource<Value>(
  load: () => Promise<Value>,
  changes: ReadonlySignal<number>,
): Resource<Value> {
  const problem = signal<string>();
  let stopWatching = () => {};
  const value = signal<Value | undefined>(undefined, {
    watched: () => {
      stopWatching = effect(() => {
        if (changes.value > 0) askSoon();
      });
    },
    unwatched: () => stopWatching(),
  });
  let asking: Promise<void> | undefined;
  let isOutdated = false;
  const ask = async () => {
    do {
      isOutdated = false;
      try {
        value.value = await load();
        problem.value = undefined;
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
  const askSoon = gathered(() => void refresh(), askAgainAfter);
  return {
    get value() {
      if (value.peek() === undefined && asking === undefined && problem.peek() === undefined) void refresh();
      return value.value;
    },
    get problem() {
      return problem.value;
    },
    refresh,
  };
}
