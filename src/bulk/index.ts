/**
 * Keeps the progress of a bulk job in a file, so that a job that was interrupted resumes and sends nothing twice. Requires
 * Node.js or a compatible runtime.
 *
 * ```ts
 * import { tmpdir } from 'node:os';
 * import { MessagingAutomation } from 'messaging-automation';
 * import { fileCheckpoint } from 'messaging-automation/bulk';
 *
 * const messaging = new MessagingAutomation();
 * const rows = [{ phone: '+15551234567' }, { phone: '+15551234568' }];
 *
 * // Run it again after a crash: it skips the rows that are done.
 * const { done, skipped } = await messaging.contacts.upsertMany(rows, {
 *   checkpoint: fileCheckpoint(`${tmpdir()}/contacts-${process.pid}.json`),
 * });
 * console.log(done, skipped);
 * ```
 *
 * Read on: [import contacts and send campaigns in bulk](../../docs/guides/bulk.md).
 *
 * @module messaging-automation/bulk
 */
export { fileCheckpoint } from './file-checkpoint.js';
