import { setTimeout as pause } from 'node:timers/promises';

/** How long something may take that does happen. In milliseconds: a lease of a killed replica ends within 15 s. */
const longestWait = 40_000;

/** Asks until the result is there. Rejects if it does not come, and says what was awaited. */
export async function eventually<Result>(
  what: string,
  ask: () => Promise<Result | undefined> | Result | undefined,
): Promise<Result> {
  const end = performance.now() + longestWait;
  for (;;) {
    const result = await ask();
    if (result !== undefined) return result;
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}.`);
    await pause(25);
  }
}
