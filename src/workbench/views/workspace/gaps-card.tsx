import { useMemo } from 'preact/hooks';
import type { SpecGaps } from '../../../server/model/spec-gaps.js';
import { attempt } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Field, Form } from '../../elements/form.js';
import { lengthInWords, milliseconds } from '../../reading/times.js';
import { control } from '../../surface/operations.js';
import type { Surface } from '../../surface/surface.js';
import { useBench } from '../bench.js';

/** The switches of `specGaps`. Those that differ from their defaults are highlighted. */
export function GapsCard() {
  const { live } = useBench();
  const choices = useMemo(() => live.before(() => gapChoices(live.surface)), [live]).value;
  const { value: gaps } = live.specGaps;
  if (gaps === undefined || choices === undefined) return null;
  const set = async (change: Partial<SpecGaps>) => {
    await live.surface.control(control.specGaps.set, { body: change });
    await live.specGaps.refresh();
  };
  const now = new Map<string, unknown>(Object.entries(gaps));
  const [first, second] = gaps.retryBackoff.map((wait) => milliseconds(wait) / 1_000);
  const { rateLimit } = gaps;
  const changed = choices.filter(([name, [standard]]) => now.get(name) !== standard);
  const isLimited = typeof rateLimit === 'object';
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
            label="Wait before each retry"
            submit="Set"
            look="plain"
            onSubmit={(given) =>
              set({ retryBackoff: [Number(given('retryBackoff')) * 1_000, Number(given('second')) * 1_000] })
            }
          >
            <span class={first === 10 && second === 60 ? '' : 'changed'}>
              <code>retryBackoff</code> {gaps.retryBackoff.map(lengthInWords).join(', then ')}
            </span>
            <div class="fields">
              <Field
                label="First, in s"
                name="retryBackoff"
                inputMode="decimal"
                value={String(first)}
                required
              />
              <Field label="Second, in s" name="second" inputMode="decimal" value={String(second)} required />
            </div>
          </Form>
          <Form
            label="Rate limit"
            submit="Set"
            look="plain"
            onSubmit={(given) => {
              const requests = given('rateLimit');
              const per = Number(given('per')) * 1_000;
              return set({ rateLimit: requests === '' ? 'off' : { requests: Number(requests), per } });
            }}
          >
            <span class={isLimited ? 'changed' : ''}>
              <code>rateLimit</code>{' '}
              {isLimited ? `${rateLimit.requests} per ${lengthInWords(rateLimit.per)}` : rateLimit}
            </span>
            <div class="fields">
              <Field
                label="Requests (empty: off)"
                name="rateLimit"
                inputMode="decimal"
                value={isLimited ? String(rateLimit.requests) : ''}
              />
              <Field
                label="Per, in s"
                name="per"
                inputMode="decimal"
                value={isLimited ? String(milliseconds(rateLimit.per) / 1_000) : '60'}
              />
            </div>
          </Form>
        </div>
      </details>
    </Card>
  );
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
