import type { Application } from './application.js';
import { serveApiKeys } from './control/api-keys.js';
import { serveClock } from './control/clock.js';
import { serveFaults } from './control/faults.js';
import { serveInboundMessages } from './control/inbound-messages.js';
import { serveJournal } from './control/journal.js';
import { serveManagedWebhooks } from './control/managed-webhooks.js';
import { serveRecords } from './control/records.js';
import { serveSnapshot } from './control/snapshot.js';
import { serveWorkspaces, type WorkspaceKeeper } from './control/workspaces.js';

/**
 * What a test can do to the service over HTTP, by the key of the workspace that it is about. These paths are not part of
 * the service, so they stand outside its prefix.
 */
export function serveControl(application: Application, workspaces: WorkspaceKeeper): void {
  serveInboundMessages(application);
  serveClock(application);
  serveJournal(application);
  serveRecords(application);
  serveFaults(application);
  serveApiKeys(application);
  serveManagedWebhooks(application);
  serveSnapshot(application);
  serveWorkspaces(application, workspaces);
}
