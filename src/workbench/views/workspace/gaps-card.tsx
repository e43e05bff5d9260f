import { useMemo } from 'preact/hooks';
import type { Duration } from '../../../server/time/duration.js';
import { attempt } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Field, Form } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import type { Surface } from '../../surface/surface.js';
import { useBench } from '../bench.js';

/** The switches of `specGaps`. Those that differ from their defaults are highlighted. */
export function GapsCard() {
  const { live } = useBench();
  const choices = useMemo(() => live.before(() => gapChoices(live.surface)), [live]).value;
  const { value: gaps } = live.specGaps;
  if (gaps === undefined || choices === undefined) return null;
  const set = async (change: object) => {
    await live.surface.control(control.specGaps.set, { body: change });
    await live.specGaps.refresh();
  };
  const now = new Map<string, unknown>(Object.entries(gaps));
  const { rateLimit } = gaps;
  const changed = choices.filter(([name, [standard]]) => now.get(name) !== standard);
  return (
    <Card
      title="Undocumented behavior"
      aside={<small>Choices where the service's document is silent. They apply from the next request.</small>}
    >
      <p class="acts">
        {changed.length === 0 && <small>All at their defaults.</small>}
        {changed.map(([name]) => (
          <span key={name} class="tag wait">
            {name} {String(now.get(name))}
          </span>
        ))}
      </p>
      <details class="more after">
        <summary>All switches</summary>
        <div class="gaps">
          {choices.map(([name, values]) => (
            <label key={name} class={now.get(name) === values[0] ? '' : 'changed'}>
              <code>{name}</code>
              <select
                value={String(now.get(name))}
                onChange={({ currentTarget }) => {
                  const to = values.find((choice) => String(choice) === currentTarget.value);
                  void attempt(() => set(Object.fromEntries([[name, to]])));
                }}
              >
                {values.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            </label>
          ))}
        </div>
        <div class="gaps after">
          <Form
            label="Retries and rate limit"
            submit="Set"
            look="plain"
            keeps
            onSubmit={(given) => {
              const [requests, per] = given('rateLimit').split(' per ');
              return set({
                retryBackoff: given('retryBackoff').split(', '),
                rateLimit: per === undefined ? 'off' : { requests: Number(requests), per },
              });
            }}
          >
            <Field
              label="retryBackoff, such as 10s, 1m"
              name="retryBackoff"
              value={gaps.retryBackoff.map(written).join(', ')}
              required
            />
            <Field
              label="rateLimit, such as 100 per 1m, or off"
              name="rateLimit"
              value={rateLimit === 'off' ? rateLimit : `${rateLimit.requests} per ${written(rateLimit.per)}`}
              required
            />
          </Form>
        </div>
      </details>
    </Card>
  );
}

/** A duration as the server takes it. */
function written(duration: Duration): string {
  return typeof duration === 'number' ? `${duration}ms` : duration;
}

/** The values of a switch, the default first. */
type GapChoices = readonly [name: string, values: readonly (string | number)[]];

/** Reads the switches out of the server's own document. Those that take more than a few values are not among them. */
async function gapChoices(surface: Surface): Promise<readonly GapChoices[]> {
  const { components } = Object(await surface.control(control.surface.openApi));
  const { properties } = Object(Object(Object(components).schemas).SpecGaps);
  return Object.entries(Object(properties)).flatMap(([name, schema]) => {
    const { enum: values } = Object(schema);
    return Array.isArray(values) ? [[name, values] as const] : [];
  });
}
