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
    if (performance.now() > end) throw inVain(what, seen);
    await new Promise(setImmediate);
  }
}

/** Waits for a promise, and fails early if it does not settle. */
export async function within<Value>(
  what: string,
  promise: PromiseLike<Value>,
  seen?: () => unknown,
): Promise<Value> {
  const controller = new AbortController();
  const tooLate = delayed(limit, undefined, { signal: controller.signal }).then(() => {
    throw inVain(what, seen);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    tooLate.catch(() => {});
    controller.abort();
  }
}

function inVain(what: string, seen: (() => unknown) | undefined): Error {
  return new Error(
    `Waited in vain for ${what}${seen === undefined ? '' : `, and saw ${JSON.stringify(seen())}`}.`,
  );
}
