import type { WatchChanges } from '../../workspace-api/follow.js';
import type { Application } from '../application.js';
import { serveStream } from './event-stream.js';
import { serveListenerStream } from './listener-stream.js';
import { serveDefinitions } from './rules/definitions.js';
import { serveListeners } from './rules/listeners.js';
import { serveTimeAndFaults } from './rules/time-and-faults.js';
import { serveWhatHappened } from './rules/what-happened.js';
import { serveWorkspaces, type WorkspaceKeeper } from './rules/workspaces.js';
import { serveOn } from './serving.js';
import { serveSurface } from './surface.js';

/**
 * Serves the control surface over HTTP. Each request has the key of the workspace that it controls. Its paths are not part
 * of the service, so they are outside its prefix.
 */
export function serveControl(
  application: Application,
  workspaces: WorkspaceKeeper,
  watchChanges: WatchChanges,
): void {
  const serve = serveOn(application);
  serveWhatHappened(serve);
  serveDefinitions(serve);
  serveTimeAndFaults(serve);
  serveWorkspaces(serve, workspaces);
  serveListeners(serve);
  serveStream(application, watchChanges);
  serveListenerStream(application);
  serveSurface(application);
}
