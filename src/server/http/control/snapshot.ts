import { jsonAnswer } from '../../answers/answer.js';
import { restoreFrom, snapshotOf } from '../../hands/snapshot.js';
import { snapshotSchema } from '../../hands/snapshot-schema.js';
import type { Application } from '../application.js';
import { readJson } from '../validation.js';

/** A snapshot is larger than any request of the service. In bytes. */
const snapshotLimit = 256 * 1024 * 1024;

/** All that the workspace holds, to be kept and put back. */
export function serveSnapshot(application: Application): void {
  application.handle('GET', '/control/snapshot', async (_, workspace) =>
    jsonAnswer(200, await snapshotOf(workspace)),
  );
  application.handle('PUT', '/control/snapshot', async ({ request }, workspace) => {
    await restoreFrom(workspace, await readJson(request, snapshotSchema, snapshotLimit));
    return { status: 204, headers: {} };
  });
}
