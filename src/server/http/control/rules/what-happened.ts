import type { NumberedEntry } from '../../../inspection/inspection.js';
import { ServiceError } from '../../../model/service-error.js';
import { checkDelivery, explainDelivery } from '../../../workspace-api/explain-delivery.js';
import {
  readDeliveries,
  readEvents,
  readJournal,
  readJourneyRuns,
  readSends,
} from '../../../workspace-api/lists.js';
import type { ReceivedRequest } from '../../received-request.js';
import { controlOperations } from '../control-operations.js';
import { deliveryAsJson, entryAsJson } from '../entry-json.js';
import { orInvalid, type Serve } from '../serving.js';

const { sends, events, deliveries, journal } = controlOperations;

/** Serves what happened in a workspace, and waits for what happens next. */
export function serveWhatHappened(serve: Serve): void {
  serve(sends.find, (live, { query, request: { gone } }) => readSends(live, { ...query, gone }));
  serve(events.find, (live, { query, request: { gone } }) => readEvents(live, { ...query, gone }));
  serve(deliveries.find, async (live, { query, request: { gone } }) => {
    const found = await readDeliveries(live, { ...query, gone });
    return { ...found, data: found.data.map(deliveryAsJson) };
  });
  serve(deliveries.redeliver, async (live, { path }) =>
    deliveryAsJson(await live.dispatcher.redeliver(path.id)),
  );
  serve(deliveries.explain, (live, { path }) => explainDelivery(live, path.id));
  serve(deliveries.check, (live, { path, body }) => orInvalid(() => checkDelivery(live, path.id, body)));
  serve(journal.find, async (live, { query, request: { gone } }) => {
    const { since, cursor = since?.toString(), ...others } = query;
    const found = await readJournal(live, { ...others, cursor, gone });
    return { ...found, data: found.data.map(([number, entry]) => ({ number, ...entryAsJson(entry) })) };
  });
  serve(journal.inspect, async (live, { path, request }) => {
    // Loaded on demand: few clients request it.
    const { inspectEntry } = await import('../../../workspace-api/inspect-entry.js');
    const number = /^\d{1,15}$/.test(path.number) ? Number(path.number) : 0;
    const inspection = await inspectEntry(live, number, originOf(request));
    const asJson = ({ number: own, ...entry }: NumberedEntry) => ({ number: own, ...entryAsJson(entry) });
    const { entry, causes, effects } = inspection;
    return { ...inspection, entry: asJson(entry), causes: causes.map(asJson), effects: effects.map(asJson) };
  });
  serve(journal.testSince, async (live, { query: { since } }) => {
    const { testSince } = await import('../../../workspace-api/inspect-entry.js');
    return { test: await testSince(live, since ?? 0) };
  });
  serve(journal.journeyRuns, (live, { query }) => readJourneyRuns(live, query));
  serve(journal.segmentMembers, async ({ services }, { path }) => ({
    data: await services.segments.members(path.id),
  }));
  serve(journal.consent, async ({ context }, { query: { phone } }) => {
    const contact = await context.store.contacts.findByPhone(phone);
    if (contact === undefined) throw new ServiceError('not_found', 'No contact has this phone.');
    return { consent: contact.consent };
  });
}

/** A name or an address, with or without a port. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Returns the URL of this server from the Host header of a request. Undefined if the header is not a plain host. */
function originOf(request: ReceivedRequest): string | undefined {
  const host = request.header('host') ?? '';
  return plainHost.test(host) ? `http://${host}` : undefined;
}
