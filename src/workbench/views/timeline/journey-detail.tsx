import { Card } from '../../elements/card.js';
import { hrefOf } from '../../live/route.js';
import { dateAndTime } from '../../reading/times.js';
import type { EntryOf } from '../../surface/entry.js';

/** A step of a journey run. */
export function JourneyDetail({ entry }: { readonly entry: EntryOf<'journey'> }) {
  const { run } = entry;
  const { journeyId, contactId, startedAt, dueAt, status, position, error } = run;
  return (
    <>
      {error !== undefined && (
        <div class="why">
          <strong>The run failed.</strong>
          <p>{error}</p>
        </div>
      )}
      <Card title="Run" aside={<a href={hrefOf('journeys', { run: run.id })}>open in Journeys</a>}>
        <dl class="facts">
          <dt>journey</dt>
          <dd>{journeyId}</dd>
          <dt>contact</dt>
          <dd>{contactId}</dd>
          <dt>started</dt>
          <dd>{dateAndTime(startedAt)}</dd>
          {status === 'waiting' && (
            <>
              <dt>step {position + 1}</dt>
              <dd>due {dateAndTime(dueAt)}</dd>
            </>
          )}
        </dl>
      </Card>
    </>
  );
}
