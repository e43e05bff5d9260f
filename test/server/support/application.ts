import { Application } from '../../../src/server/http/application.js';
import { defaultSpecGaps } from '../../../src/server/model/spec-gaps.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';

/** The routing of a server without a workspace. */
export function emptyApplication(): Application {
  return new Application({
    openWorkspace: async () => undefined,
    apiKeys: () => [],
    clock: machineClock,
    newId: (kind) => kind,
    log: undefined,
    bodyLimit: 0,
    gaps: () => defaultSpecGaps,
    cors: undefined,
    hosts: undefined,
  });
}
