import dns from 'node:dns';
import { onTestFinished, vi } from 'vitest';

/**
 * Replaces the resolver until the end of the test. Each lookup fails, or finds the addresses of the next list, and at the end
 * of the last one.
 */
export function resolving(...responses: readonly (Error | readonly string[])[]): void {
  let lookups = 0;
  const spy = vi.spyOn(dns, 'lookup').mockImplementation((...given: readonly unknown[]) => {
    const response = responses[Math.min(lookups, responses.length - 1)] ?? [];
    lookups += 1;
    const callback = given.at(-1);
    if (typeof callback !== 'function') return;
    if (response instanceof Error) callback(response);
    else {
      callback(
        null,
        response.map((address) => ({ address, family: 4 })),
      );
    }
  });
  onTestFinished(() => spy.mockRestore());
}
