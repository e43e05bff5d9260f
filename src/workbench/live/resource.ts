import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { messageOf } from '../surface/message-of.js';
import { gathered } from './batch.js';

/** How often the page asks again at most. In milliseconds. */
const askAgainAfter = 300;

/** Something that the server knows and that the page shows as it is now. */
export interface Resource<Value> {
  /** The value. Undefined until it is there. While something reads it, it is asked for again after each change. */
  readonly value: Value | undefined;
  /** Why the value could not be had, if so. */
  readonly problem: string | undefined;
  /** Asks for it now. Resolves when the page has it. */
  refresh(): Promise<void>;
}

/** Asks for a value while something shows it, at once and after each change. */
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
