import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** Makes each method wait until the workspace is ready for calls. A method rejects after a close. */
export function whenOpen<Hand extends object>({ life }: LiveWorkspace, hand: Hand): Hand {
  return new Proxy(hand, {
    get: (methods, name) => {
      const method: unknown = Reflect.get(methods, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        await life.opened();
        return Reflect.apply(method, methods, given);
      };
    },
  });
}
