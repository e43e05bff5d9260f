import type { Tool } from './tool.js';
import { advanceClock } from './tools/advance-clock.js';
import { explainDelivery } from './tools/explain-delivery.js';
import { injectFault } from './tools/inject-fault.js';
import { inspectEntry } from './tools/inspect-entry.js';
import { listDeliveries } from './tools/list-deliveries.js';
import { readJournal } from './tools/read-journal.js';
import { redeliver } from './tools/redeliver.js';
import { removeFaults } from './tools/remove-faults.js';
import { resetWorkspace } from './tools/reset-workspace.js';
import { searchGuides } from './tools/search-guides.js';
import { sendAsContact } from './tools/send-as-contact.js';
import { waitFor } from './tools/wait-for.js';
import { workspaceStatus } from './tools/workspace-status.js';

/** All tools, in the order in which an agent sees them. */
export const tools: readonly Tool[] = [
  workspaceStatus,
  readJournal,
  inspectEntry,
  sendAsContact,
  listDeliveries,
  explainDelivery,
  redeliver,
  waitFor,
  advanceClock,
  injectFault,
  removeFaults,
  resetWorkspace,
  searchGuides,
];
