import { vi } from 'vitest';

const { nextTick } = process;

/**
 * Replaces the global `process` with one that has these properties alone, or with none, until `vi.unstubAllGlobals()`. It keeps
 * `nextTick`: Vitest saves it before each of its messages and restores it a tick later, when the real process may be back, which
 * without it would lose its own. Then no message arrives any more, and the run never ends.
 */
export function stubProcess(properties: object | undefined): void {
  vi.stubGlobal('process', properties && { nextTick, ...properties });
}
