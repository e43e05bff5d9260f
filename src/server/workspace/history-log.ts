import { maskPhone } from '../../contract/phone.js';
import { doYouMean } from '../../foundation/near-name.js';
import type { JournalEntry, JourneyEntry } from '../model/journal-entry.js';
import { nameInLog, type ServerLog, type ServerLogEntry } from '../model/log.js';
import type { WorkspaceStore } from '../store/store.js';

/** The largest number of event names to check. More names are probably generated, not written. */
const namesNoted = 1_000;

/** Returns a function that logs the entries of a journal: sends, inbound messages, tracked events and journeys. */
export function historyLog(log: ServerLog, store: WorkspaceStore): (entry: JournalEntry) => void {
  const noted = new Set<string>();
  return (entry) => {
    const line = logEntryOf(entry);
    if (line !== undefined) log(line);
    if (entry.type !== 'event' || noted.size >= namesNoted || noted.has(entry.event.event)) return;
    noted.add(entry.event.event);
    void noticeOf(entry.event.event, store).then(
      (message) => message && log({ type: 'notice', time: timeOf(entry), message }),
      // The store failed: only this log line is missing.
      () => {},
    );
  };
}

function logEntryOf(entry: JournalEntry): ServerLogEntry | undefined {
  const time = timeOf(entry);
  switch (entry.type) {
    case 'send': {
      const { id, templateId, contactId, phone, paidBy, journeyRunId } = entry.send;
      return {
        type: 'send',
        time,
        sendId: id,
        templateId: nameInLog(templateId),
        contactId,
        phone: maskPhone(phone),
        paidBy,
        ...(journeyRunId !== undefined && { journeyRunId }),
      };
    }
    case 'event': {
      const { id, event, contactId } = entry.event;
      return { type: 'event', time, eventId: id, event: nameInLog(event), contactId };
    }
    case 'message': {
      const { contactId, phone, consent } = entry;
      return { type: 'message', time, contactId, phone: maskPhone(phone), ...(consent && { consent }) };
    }
    case 'journey':
      return goesOnAtOnce(entry) ? undefined : journeyEntryOf(entry);
    default:
      return undefined;
  }
}

/** Whether the journey continues without a wait. The log skips such a step, because it already shows the effect. */
function goesOnAtOnce({ at, run }: JourneyEntry): boolean {
  return run.status === 'waiting' && run.position > 0 && run.dueAt <= at;
}

function journeyEntryOf({ at, run }: JourneyEntry): ServerLogEntry {
  const outcome = run.status === 'waiting' && run.position === 0 ? 'began' : run.status;
  return {
    type: 'journey',
    time: new Date(at).toISOString(),
    journeyRunId: run.id,
    journeyId: run.journeyId,
    contactId: run.contactId,
    outcome,
    ...(outcome === 'waiting' && { until: new Date(run.dueAt).toISOString() }),
    ...(run.error !== undefined && { error: run.error }),
  };
}

/** The notice about an event that no journey and no segment uses. Undefined for other events. */
async function noticeOf(event: string, store: WorkspaceStore): Promise<string | undefined> {
  const [journeys, segments] = await Promise.all([store.journeys.list(), store.segments.list()]);
  const listening = [...journeys, ...segments].flatMap((each) => ('event' in each ? [each.event] : []));
  if (listening.includes(event)) return undefined;
  return `no journey or segment listens to ${nameInLog(event)}${doYouMean(event, listening, '.')}`;
}

function timeOf({ at }: JournalEntry): string {
  return new Date(at).toISOString();
}
