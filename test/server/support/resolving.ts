import dns from 'node:dns';
import { onTestFinished, vi } from 'vitest';

/**
 * Replaces the resolver until the end of the test. Each lookup fails, or finds the addresses of the next list, and at the end
 * of the last one.
 */
export function resolving(...answers: readonly (Error | readonly string[])[]): void {
  let lookups = 0;
  const spy = vi.spyOn(dns, 'lookup').mockImplementation((...given: readonly unknown[]) => {
    const answer = answers[Math.min(lookups, answers.length - 1)] ?? [];
    lookups += 1;
    const callback = given.at(-1);
    if (typeof callback !== 'function') return;
    if (answer instanceof Error) callback(answer);
    else {
      callback(
        null,
        answer.map((address) => ({ address, family: 4 })),
      );
    }
  });
  onTestFinished(() => spy.mockRestore());
}
