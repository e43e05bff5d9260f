import type { Evidence } from '../accounting/evidence.js';
import type { Tally } from '../tally.js';

/** Counts what there is in a tenant's workspace. */
export function tallyTenant({ after, calls, messages }: Evidence, tally: Tally): void {
  tally.add('workspaces', 'accounted for');
  for (const { kind, outcome } of calls) {
    tally.add('calls', outcome);
    tally.add('asked for', kind);
  }
  tally.add('messages', 'inbound', messages.length);
  tally.add('events', 'processed', after.events.length - after.waitingEventIds.length);
  for (const { status } of after.journeyRuns) tally.add('journey runs', status);
  for (const { journeyRunId } of after.sends) {
    tally.add('sends', journeyRunId === undefined ? 'by the API' : 'by journeys');
  }
  for (const { status, attempts } of after.deliveries) {
    tally.add('deliveries', status);
    for (const { error } of attempts) {
      tally.add('attempts', error === undefined ? 'acknowledged' : 'not acknowledged');
    }
  }
}
