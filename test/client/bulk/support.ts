import {
  type BulkCheckpoint,
  type CheckpointStore,
  type ClientOptions,
  type Clock,
  type FetchFunction,
  MessagingAutomation,
  type SendInput,
} from 'messaging-automation';
import { indexOfPhone, phoneOf } from './phones.js';

export { phoneOf };

/** One send for each phone. */
export function sends(count: number): readonly SendInput[] {
  return Array.from({ length: count }, (_, index) => ({ phone: phoneOf(index), templateId: 'welcome' }));
}

/** A client whose requests go to a function. */
export function clientOver(fetch: FetchFunction, options: ClientOptions = {}): MessagingAutomation {
  const baseUrl = 'http://127.0.0.1/api';
  return new MessagingAutomation({ apiKey: 'key', baseUrl, clock: leapingClock(), fetch, ...options });
}

/**
 * A clock that leaps to the end of each wait as soon as somebody waits. The deadlines of calls, which are as long as the
 * client's default, never come.
 */
export function leapingClock(): Clock & { readonly waits: readonly number[] } {
  let now = Date.UTC(2026, 0, 1);
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    setTimer(callback, delay) {
      if (delay === 30_000) return () => {};
      let cancelled = false;
      setImmediate(() => {
        if (cancelled) return;
        waits.push(delay);
        now += delay;
        callback();
      });
      return () => {
        cancelled = true;
      };
    },
  };
}

/** The place of the item that a request is for, by its phone. */
export function indexOf(init: RequestInit): number {
  const { phone }: { phone: string } = JSON.parse(String(init.body));
  return indexOfPhone(phone);
}

export function sent(): Response {
  return Response.json({ success: true });
}

export function refusal(status: number, code: string): Response {
  return Response.json({ error: { code, message: 'No.' } }, { status });
}

/** A service that holds every request until it is told how to answer. */
export function heldService(): {
  readonly fetch: FetchFunction;
  /** The items whose requests wait for their answers. */
  readonly waiting: () => readonly number[];
  readonly answer: (index: number, response?: Response) => void;
} {
  const held = new Map<number, (response: Response) => void>();
  return {
    fetch: (_, init) => new Promise((resolve) => held.set(indexOf(init), resolve)),
    waiting: () => [...held.keys()],
    answer(index, response = sent()) {
      held.get(index)?.(response);
      held.delete(index);
    },
  };
}

/** Keeps the checkpoint as text, as a file would. */
export function memoryCheckpoint(): CheckpointStore & {
  readonly saved: () => BulkCheckpoint | undefined;
  readonly saves: () => number;
} {
  let text: string | undefined;
  let saves = 0;
  return {
    load: async () => (text === undefined ? undefined : JSON.parse(text)),
    save: async (checkpoint) => {
      text = JSON.stringify(checkpoint);
      saves += 1;
    },
    saved: () => (text === undefined ? undefined : JSON.parse(text)),
    saves: () => saves,
  };
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

/** Waits for something that is sure to come. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** An error such as `fetch` throws when the connection fails. */
export function connectionError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
