import type { NumberedEntry } from '../../../inspection/inspection.js';
import { ServiceError } from '../../../model/service-error.js';
import { checkDelivery, explainDelivery } from '../../../workspace-api/explain-delivery.js';
import { journalOf } from '../../../workspace-api/journal.js';
import {
  readDeliveries,
  readEvents,
  readJournal,
  readJourneyRuns,
  readSends,
} from '../../../workspace-api/reading.js';
import { deliveryAsJson, entryAsJson } from '../as-json.js';
import { controlOperations } from '../control-operations.js';
import { orInvalid } from '../or-invalid.js';
import { originOf } from '../origin.js';
import type { Serve } from '../serving.js';

const { sends, events, deliveries, journal } = controlOperations;

/** Serves what happened in a workspace, and waits for what happens next. */
export function serveWhatHappened(serve: Serve): void {
  serve(sends.find, (live, { query, request: { gone } }) => {
    const { limit, cursor, wait, ...filter } = query;
    return readSends(live, filter, { limit, cursor, wait, gone });
  });
  serve(events.find, (live, { query, request: { gone } }) => {
    const { limit, cursor, wait, ...filter } = query;
    return readEvents(live, filter, { limit, cursor, wait, gone });
  });
  serve(deliveries.find, async (live, { query, request: { gone } }) => {
    const { limit, cursor, wait, ...filter } = query;
    const found = await readDeliveries(live, filter, { limit, cursor, wait, gone });
    return { ...found, data: found.data.map(deliveryAsJson) };
  });
  serve(deliveries.redeliver, async (live, { path }) =>
    deliveryAsJson(await live.dispatcher.redeliver(path.id)),
  );
  serve(deliveries.explain, (live, { path }) => explainDelivery(live, path.id));
  serve(deliveries.check, (live, { path, body }) => orInvalid(() => checkDelivery(live, path.id, body)));
  serve(journal.find, async (live, { query, request: { gone } }) => {
    const { type, operation, requestId, since, cursor = since?.toString(), ...page } = query;
    const found = await readJournal(live, { type, operation, requestId }, { ...page, cursor, gone });
    return { ...found, data: found.data.map(([number, entry]) => ({ number, ...entryAsJson(entry) })) };
  });
  serve(journal.inspect, async (live, { path, request }) => {
    // Loaded on demand: few clients request it.
    const { inspectEntry } = await import('../../../workspace-api/inspect-entry.js');
    const inspection = await inspectEntry(
      live,
      /^\d{1,15}$/.test(path.number) ? Number(path.number) : 0,
      originOf(request),
    );
    const asJson = ({ number, ...entry }: NumberedEntry) => ({ number, ...entryAsJson(entry) });
    const { entry, causes, effects } = inspection;
    return { ...inspection, entry: asJson(entry), causes: causes.map(asJson), effects: effects.map(asJson) };
  });
  serve(journal.journeyRuns, (live, { query }) => readJourneyRuns(live, query));
  serve(journal.segmentMembers, async (live, { path }) => ({
    data: await journalOf(live).segmentMembers(path.id),
  }));
  serve(journal.consent, async (live, { query: { phone } }) => {
    const consent = await journalOf(live).consent(phone);
    if (consent === undefined) throw new ServiceError('not_found', 'No contact has this phone.');
    return { consent };
  });
}
