import { useSignal } from '@preact/signals';
import type { JourneySeed } from '../../../server/seed/journey-seed.js';
import { counted } from '../../reading/counted.js';
import { pathOf, stepsTaken } from '../../reading/journey-path.js';
import type { Person } from '../../reading/people.js';
import type { JourneyRun } from '../../surface/entry.js';
import { useBench } from '../bench.js';
import { Path } from './path.js';
import { RunRow } from './run-row.js';
import { StartJourney } from './start-journey.js';

interface JourneyCardProperties {
  readonly journey: JourneySeed;
  /** Newest first. */
  readonly runs: readonly JourneyRun[];
  readonly people: ReadonlyMap<string, Person>;
}

/** How many runs show at first, and how many more each time. */
const pageOfRuns = 20;

/** A journey: its path on one side, its runs on the other. */
export function JourneyCard({ journey, runs, people }: JourneyCardProperties) {
  const { live, route } = useBench();
  const shown = useSignal(pageOfRuns);
  const { id, event } = journey;
  const waiting = runs.filter(({ status }) => status === 'waiting');
  const failed = runs.filter(({ status }) => status === 'failed').length;
  const selected = runs.find((run) => run.id === route.value.parameters.run);
  void live.journal.revision.value;
  const past = stepsTaken(selected?.id ?? '', live.journal.entries);
  return (
    <section class="card journey" aria-label={`Journey ${id}`}>
      <header>
        <h2>{id}</h2>
        <small>
          {waiting.length} waiting, {runs.length - waiting.length - failed} finished, {failed} failed
        </small>
      </header>
      <div class="journey-parts">
        <div>
          <p class="starts">
            starts with the event <code>{event}</code>
          </p>
          <Path steps={pathOf(journey)} runs={selected ? [selected] : waiting} people={people} past={past} />
          {selected !== undefined && selected.position > 0 && !past.has(0) && (
            <small>The journal no longer has the first steps of this run.</small>
          )}
        </div>
        <div class="runs">
          {runs.length === 0 && <p class="none">No run yet. The event starts one.</p>}
          <ol class="bare" aria-label={`Runs of ${id}, newest first`}>
            {runs.slice(0, shown.value).map((run) => (
              <RunRow
                key={run.id}
                run={run}
                journey={journey}
                person={people.get(run.contactId)}
                isSelected={run === selected}
              />
            ))}
          </ol>
          {runs.length > shown.value && (
            <button
              type="button"
              onClick={() => {
                shown.value += pageOfRuns;
              }}
            >
              Show more of {counted(runs.length)} runs
            </button>
          )}
          <StartJourney journey={journey} people={people} isOpen={runs.length === 0} />
        </div>
      </div>
    </section>
  );
}
