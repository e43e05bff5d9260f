import type { Dispatcher } from '../deliveries/dispatcher.js';
import type { Services } from '../service/services.js';
import type { DueWork } from '../store/shared-store.js';

/** Starts work that is due. Returns at once. */
export function startDue(
  { journeys, events, transactional }: Services,
  dispatcher: Dispatcher,
  work: DueWork,
): void {
  switch (work.kind) {
    case 'deliveries':
      dispatcher.wake([work.subscriptionId]);
      return;
    case 'journey_run':
      journeys.startStep(work.runId);
      return;
    case 'events':
      events.startProcessing();
      return;
    case 'sends':
      transactional.startSettling();
  }
}
