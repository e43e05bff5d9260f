import type { Application } from '../application.js';
import { serveApiKeys } from './api-keys.js';
import { serveClock } from './clock.js';
import { serveFaults } from './faults.js';
import { serveInboundMessages } from './inbound-messages.js';
import { serveJournal } from './journal.js';
import { serveManagedWebhooks } from './managed-webhooks.js';
import { serveRecords } from './records.js';
import { serveSnapshot } from './snapshot.js';
import { serveWorkspaces, type WorkspaceKeeper } from './workspaces.js';

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
