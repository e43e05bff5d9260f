import type { Clock } from '../../../src/foundation/clock.js';
import { randomId, secureRandomBytes } from '../../../src/server/model/environment.js';
import { simulatedProvider } from '../../../src/server/service/provider.js';
import type { Store } from '../../../src/server/store/store.js';
import type { WorkspaceDependencies } from '../../../src/server/workspace/workspace-parts.js';
import { Workspaces } from '../../../src/server/workspace/workspaces.js';
import type { ManualClock } from '../support/manual-clock.js';

/** The workspaces of a server without the server, over a store and a machine in a test's hands. Nothing leaves them. */
export function workspacesOver(
  store: Store,
  machine: ManualClock,
): { readonly workspaces: Workspaces; readonly taken: ReadonlySet<string> } {
  const taken = new Set<string>();
  return { workspaces: new Workspaces({ ...dependenciesOver(store, machine), taken }), taken };
}

/** What the workspaces of a server work with. Nothing leaves them. */
export function dependenciesOver(store: Store, machine: Clock): WorkspaceDependencies {
  return {
    store,
    taken: new Set(),
    machine,
    newId: randomId,
    randomBytes: secureRandomBytes,
    createSender: () => ({ send: async () => ({ error: 'nobody is there' }), close() {} }),
    deliveryTimeout: 5_000,
    receiverAddresses: 'loopback',
    provider: simulatedProvider,
    log: undefined,
    changed: () => {},
    stage: {
      open: () => {
        throw new Error('These workspaces have no server.');
      },
      route: async () => undefined,
    },
  };
}
