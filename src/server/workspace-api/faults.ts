import type { Faults } from '../faults/faults.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** Returns the faults of a workspace. A closed workspace rejects new rules. */
export function faultsOf(live: LiveWorkspace): Faults {
  const { faults } = live;
  const remove = (id: string) => {
    const isRemoved = faults.remove(id);
    live.sharing.keepFailure();
    return isRemoved;
  };
  return {
    add(rule) {
      live.life.refuseIfClosed();
      const added = faults.add(rule);
      live.sharing.keepFailure();
      return () => void remove(added.id);
    },
    remove,
    clear() {
      faults.clear();
      live.sharing.keepFailure();
    },
    list: () => faults.list(),
  };
}
