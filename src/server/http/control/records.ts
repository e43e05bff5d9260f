import * as z from 'zod/mini';
import { phoneSchema } from '../../../contract/phone.js';
import { jsonAnswer } from '../../answers/answer.js';
import { type Journal, journalOf } from '../../hands/journal.js';
import { ServiceError } from '../../model/service-error.js';
import type { Application } from '../application.js';
import { readSearch } from '../validation.js';
import { deliveryAsJson } from './as-json.js';

const consentSchema = z.strictObject({ phone: phoneSchema });

/** What the workspace holds, where no endpoint of the service shows it. */
export function serveRecords(application: Application): void {
  const serveList = (path: string, list: (journal: Journal) => Promise<readonly unknown[]>) =>
    application.handle('GET', path, async (_, workspace) =>
      jsonAnswer(200, { data: await list(journalOf(workspace)) }),
    );
  serveList('/control/sends', (journal) => journal.sends());
  serveList('/control/events', (journal) => journal.events());
  serveList('/control/journey-runs', (journal) => journal.journeyRuns());
  serveList('/control/deliveries', async (journal) => (await journal.deliveries()).map(deliveryAsJson));
  application.handle('POST', '/control/deliveries/:id/redeliver', async ({ parameters }, workspace) =>
    jsonAnswer(202, deliveryAsJson(await workspace.redeliver(parameters.id ?? ''))),
  );
  application.handle('GET', '/control/segments/:id/members', async ({ parameters }, workspace) =>
    jsonAnswer(200, { data: await journalOf(workspace).segmentMembers(parameters.id ?? '') }),
  );
  application.handle('GET', '/control/quota', async (_, workspace) =>
    jsonAnswer(200, await journalOf(workspace).quota()),
  );
  application.handle('GET', '/control/consent', async ({ request }, workspace) => {
    const { phone } = readSearch(request, consentSchema);
    const consent = await journalOf(workspace).consent(phone);
    if (consent === undefined) throw new ServiceError('not_found', 'No contact has this phone.');
    return jsonAnswer(200, { consent });
  });
}
