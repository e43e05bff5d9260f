import type { JourneySeed } from '../../../server/seed/journey-seed.js';
import { Field, Form } from '../../elements/form.js';
import { eventPropertiesIn } from '../../reading/journey-path.js';
import type { Person } from '../../reading/people.js';
import { operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';

interface StartJourneyProperties {
  readonly journey: JourneySeed;
  readonly people: ReadonlyMap<string, Person>;
  readonly isOpen: boolean;
}

/** The most contacts to choose from. */
const mostListed = 60;

/** Starts a journey by hand: tracks its event for a contact. */
export function StartJourney({ journey: { id, event, steps }, people, isOpen }: StartJourneyProperties) {
  const { live } = useBench();
  const names = eventPropertiesIn(steps);
  return (
    <details class="more" open={isOpen}>
      <summary>Start for a contact</summary>
      <Form
        label={`Start ${id}`}
        submit={`Track ${event}`}
        keeps
        onSubmit={(given) =>
          live.surface.api(operations.events.track, {
            body: {
              event,
              phone: given('phone').trim(),
              properties: Object.fromEntries(names.map((name) => [name, given(`properties.${name}`)])),
            },
          })
        }
      >
        <div class="fields">
          <Field label="Contact" name="phone">
            <input
              name="phone"
              list={`people-${id}`}
              required
              autocomplete="off"
              defaultValue={[...people.values()][0]?.phone ?? ''}
            />
          </Field>
          {names.map((name) => (
            <Field key={name} label={name} name={`properties.${name}`} required />
          ))}
        </div>
        <datalist id={`people-${id}`}>
          {[...people.values()].slice(0, mostListed).map(({ phone, name }) => (
            <option key={phone} value={phone}>
              {name}
            </option>
          ))}
        </datalist>
      </Form>
    </details>
  );
}
