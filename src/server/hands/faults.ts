import type { Faults } from '../faults/faults.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** Returns the faults of a workspace. A closed workspace rejects new rules. */
export function faultsOf(live: LiveWorkspace): Faults {
  const { faults } = live;
  return {
    add(rule) {
      live.refuseIfClosed();
      return faults.add(rule);
    },
    remove: (id) => faults.remove(id),
    clear: () => faults.clear(),
    list: () => faults.list(),
  };
}
