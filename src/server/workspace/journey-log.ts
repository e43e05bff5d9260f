import type { JourneyEntry } from '../model/journal-entry.js';
import type { ServerLog, ServerLogEntry } from '../model/log.js';
import type { History } from './history.js';

/** Has the log tell of journeys. */
export function logJourneys(history: History, log: ServerLog): void {
  history.watch((entry) => {
    if (entry.type !== 'journey' || goesOnAtOnce(entry)) return;
    log(logEntryOf(entry));
  });
}

/** A step without a wait is no news beside what it did: the beginning, the waits and the end are. */
function goesOnAtOnce({ at, run }: JourneyEntry): boolean {
  return run.status === 'waiting' && run.position > 0 && run.dueAt <= at;
}

function logEntryOf({ at, run }: JourneyEntry): ServerLogEntry {
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
