import type { JourneySeed } from '../../../server/seed/journey-seed.js';
import { Action } from '../../elements/action.js';
import { Empty } from '../../elements/card.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { JourneyCard } from './journey-card.js';
import { JourneyForm } from './journey-form.js';

/** The journeys with their steps, and the runs through each: where they are, and what is due next. */
export function JourneysView() {
  const live = useLive();
  const { value: journeys } = live.journeys;
  if (journeys === undefined) return null;
  return (
    <div class="scroll journeys">
      {journeys.length === 0 && <ExampleJourney />}
      {journeys.map((journey) => (
        <JourneyCard key={journey.id} journey={journey} />
      ))}
      <details class="card journey">
        <summary>Add a journey</summary>
        <JourneyForm />
      </details>
    </div>
  );
}

const template = { id: 'example_welcome', body: 'Welcome, {{1}}! Write START to hear more.' };

const journey: JourneySeed = {
  id: 'example_journey',
  event: 'signed_up',
  steps: [
    { send: template.id, variables: { '1': { event: 'name' } } },
    { wait: '1h' },
    {
      branch: { property: 'plan', exists: true },
      do: [{ send: template.id, variables: { '1': 'and thank you for choosing a plan' } }],
    },
  ],
};

const seed = JSON.stringify({ journeys: [journey] }, undefined, 2);

/** Shown if there is no journey: an example of one in a seed, and a button that adds it. */
function ExampleJourney() {
  const live = useLive();
  return (
    <Empty title="No journey yet">
      <p>
        An event starts a journey. Its steps follow the workspace's clock. Add this one, or your own below:
      </p>
      <pre>{seed}</pre>
      <Action
        look="primary"
        done="Journey added. Start it for a contact."
        onRun={async () => {
          await live.surface.control(control.templates.put, { body: template });
          await live.surface.control(control.journeys.put, { body: journey });
        }}
      >
        Add this journey
      </Action>
    </Empty>
  );
}
