import type { JourneySeed } from '../../../server/seed/journey-seed.js';
import { Action } from '../../elements/action.js';
import { Field, Form, type Given } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { parsed } from '../../surface/refused-error.js';
import { useLive } from '../use-live.js';

/** A new journey before a person writes it. */
const beginning: JourneySeed = { id: 'new_journey', event: 'signed_up', steps: [{ wait: '1h' }] };

/** The steps that a journey can have, as a seed has them. */
const kindsOfSteps = [
  '{ "send": "template_id", "variables": { "1": { "contact": "firstName" }, "2": { "event": "orderId" } } }',
  '{ "wait": "2d" }',
  '{ "branch": { "segment": "segment_id" }, "do": [], "else": [] }',
];

/** A journey as JSON, as a seed has it, to change it or to add one. */
export function JourneyForm({ journey }: { readonly journey?: JourneySeed }) {
  const { surface } = useLive();
  const save = async (given: Given) => {
    const written = parsed(given('journey'));
    if (typeof written !== 'object' || written === null) throw new Error('The journey is not a JSON object.');
    await surface.control(control.journeys.put, { body: Object(written) });
  };
  return (
    <Form
      label={journey === undefined ? 'Add a journey' : `Change ${journey.id}`}
      submit={journey === undefined ? 'Add the journey' : 'Save the journey'}
      done="Journey saved."
      look={journey === undefined ? 'primary' : 'plain'}
      keeps
      onSubmit={save}
    >
      <Field label="Journey, as in a seed" name="journey">
        <textarea class="code" name="journey" rows={12} spellcheck={false} required>
          {JSON.stringify(journey ?? beginning, undefined, 2)}
        </textarea>
      </Field>
      <small>A step is one of:</small>
      <pre>{kindsOfSteps.join('\n')}</pre>
    </Form>
  );
}

/** Removes a journey, after a question. */
export function RemoveJourney({ id }: Pick<JourneySeed, 'id'>) {
  const { surface } = useLive();
  return (
    <Action
      question={`Remove the journey ${id}? Its runs take no more steps.`}
      onRun={() => surface.control(control.journeys.remove, { path: { id } })}
      done="Journey removed."
    >
      Remove {id}
    </Action>
  );
}
