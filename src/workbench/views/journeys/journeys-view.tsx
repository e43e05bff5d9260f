import { useBench } from '../bench.js';
import { ExampleJourney } from './example-journey.js';
import { JourneyCard } from './journey-card.js';
import './journeys.css';

/** The journeys with their steps, and the runs through each: where they are, and what is due next. */
export function JourneysView() {
  const { live } = useBench();
  const { value: journeys } = live.journeys;
  if (journeys === undefined) return null;
  return (
    <div class="scroll journeys">
      {journeys.length === 0 && <ExampleJourney />}
      {journeys.map((journey) => (
        <JourneyCard
          key={journey.id}
          journey={journey}
          runs={live.runs.value.filter(({ journeyId }) => journeyId === journey.id)}
          people={live.people.value}
        />
      ))}
    </div>
  );
}
