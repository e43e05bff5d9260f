import { useMemo } from 'preact/hooks';
import { attempt } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Select } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { parsed, written } from '../../surface/refused-error.js';
import type { Surface } from '../../surface/surface.js';
import { useLive } from '../use-live.js';

/** The gaps of the service's document, with their values. Those that differ from their defaults are highlighted. */
export function GapsCard() {
  const live = useLive();
  const choices = useMemo(() => live.before(() => gapChoices(live.surface)), [live]).value;
  const { value: specGaps } = live.specGaps;
  if (specGaps === undefined || choices === undefined) return null;
  const set = (name: string, to: unknown) =>
    attempt(async () => {
      await live.surface.control(control.specGaps.set, { body: { [name]: to } });
      await live.specGaps.refresh();
    });
  const gaps = Object.entries(specGaps).map(([name, value]) => {
    const values = choices.get(name);
    return { name, value: written(value), values, isChanged: values !== undefined && values[0] !== value };
  });
  const changed = gaps.filter(({ isChanged }) => isChanged);
  return (
    <Card
      title="Gaps of the document"
      aside={
        <small>
          What the service does where its document specifies no behavior. A change applies from the next
          request.
        </small>
      }
    >
      <p class="acts">
        {changed.length === 0 && <small>All at their defaults.</small>}
        {changed.map(({ name, value }) => (
          <span key={name} class="tag wait">
            {name} {value}
          </span>
        ))}
      </p>
      <details class="more after">
        <summary>All gaps</summary>
        <div class="gaps">
          {gaps.map(({ name, value, values, isChanged }) => (
            <label key={name} for={`gap-${name}`} class={isChanged ? 'changed' : ''}>
              <code>{name}</code>
              {values === undefined ? (
                <input
                  id={`gap-${name}`}
                  defaultValue={value} // as Field: a render keeps what is being written
                  onChange={({ currentTarget: { value: to } }) => set(name, parsed(to) ?? to)}
                />
              ) : (
                <Select id={`gap-${name}`} options={values} value={value} onChoose={(to) => set(name, to)} />
              )}
            </label>
          ))}
        </div>
      </details>
    </Card>
  );
}

/** Reads the values that gaps can have, the default first, out of the server's own document. The others take JSON. */
async function gapChoices(surface: Surface): Promise<ReadonlyMap<string, readonly (string | number)[]>> {
  const { components } = Object(await surface.control(control.surface.openApi));
  const { properties } = Object(Object(Object(components).schemas).SpecGaps);
  const choices = Object.entries(Object(properties)).map(
    ([name, schema]) => [name, Object(schema).enum] as const,
  );
  return new Map(choices.filter(([, values]) => Array.isArray(values)));
}
