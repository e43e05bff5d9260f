import { useComputed } from '@preact/signals';
import { peopleIn } from '../../reading/people.js';
import { useBench } from '../bench.js';
import { ExampleJourney } from './example-journey.js';
import { JourneyCard } from './journey-card.js';
import './journeys.css';

/** The journeys with their steps, and the runs through each: where they stand, and what falls due next. */
export function JourneysView() {
  const { live } = useBench();
  const runs = useComputed(() => {
    void live.journal.revision.value;
    // The journal begins with the process. A server with a state file has runs from before.
    const latest = [...(live.runsBefore.value ?? []), ...live.journal.runs];
    return [...new Map(latest.map((run) => [run.id, run])).values()].sort(
      (a, b) => b.startedAt - a.startedAt,
    );
  });
  const people = useComputed(() => {
    void live.journal.revision.value;
    return peopleIn(live.journal.entries, live.contacts.value?.data ?? []);
  });
  const { value: journeys } = live.journeys;
  if (journeys === undefined) return null;
  return (
    <div class="scroll journeys">
      {journeys.length === 0 && <ExampleJourney />}
      {journeys.map((journey) => (
        <JourneyCard
          key={journey.id}
          journey={journey}
          runs={runs.value.filter(({ journeyId }) => journeyId === journey.id)}
          people={people.value}
        />
      ))}
    </div>
  );
}
