import { setTimeout as delayed } from 'node:timers/promises';

/** No wait of a test is as long as this, and it is far below the limit of a test. */
const limit = 10_000;

/**
 * Waits until a condition holds.
 *
 * @param what - What is awaited, for the error when it does not come.
 * @param seen - What is there instead, for the same error.
 */
export async function until(what: string, condition: () => boolean, seen?: () => unknown): Promise<void> {
  const end = performance.now() + limit;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}${describe(seen)}.`);
    await new Promise(setImmediate);
  }
}

/** Waits for a promise, and fails early if it does not settle. */
export async function within<Value>(
  what: string,
  promise: PromiseLike<Value>,
  seen?: () => unknown,
  most = limit,
): Promise<Value> {
  const controller = new AbortController();
  const tooLate = delayed(most, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`Waited in vain for ${what}${describe(seen)}.`);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    tooLate.catch(() => {});
    controller.abort();
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

/** A promise and what settles it. */
export function withResolvers<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

function describe(seen: (() => unknown) | undefined): string {
  return seen === undefined ? '' : `, and saw ${JSON.stringify(seen())}`;
}
