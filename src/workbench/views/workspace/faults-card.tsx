import { useSignal } from '@preact/signals';
import { Action } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Field, Form, Select } from '../../elements/form.js';
import { counted } from '../../reading/counted.js';
import { faultInWords, faultTargets } from '../../reading/faults.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The fault rules, how often each one hit, and a form for another. */
export function FaultsCard() {
  const { live } = useBench();
  const { surface } = live;
  const { value: faults = [] } = live.faults;
  return (
    <Card
      title="Faults"
      aside={
        faults.length > 1 && (
          <Action onRun={() => surface.control(control.faults.clear)} done="Faults removed.">
            Remove all
          </Action>
        )
      }
    >
      {faults.length === 0 && <small>None.</small>}
      <ul class="bare rows">
        {faults.map(({ id, rule, matched, injected }) => (
          <li key={id} class="changed">
            <header>
              <b>{faultInWords(rule)}</b>
              <Action
                label={`Remove the fault: ${faultInWords(rule)}`}
                onRun={() => surface.control(control.faults.remove, { path: { id } })}
              >
                Remove
              </Action>
            </header>
            <small>
              hit {counted(injected)} of {counted(matched)}{' '}
              {rule.operation === undefined ? 'attempts' : 'requests'}
            </small>
          </li>
        ))}
      </ul>
      <AddFault />
    </Card>
  );
}

function AddFault() {
  const { live } = useBench();
  const target = useSignal(faultTargets[0]);
  return (
    <details class="more">
      <summary>+ Add a fault</summary>
      <Form
        label="Add a fault"
        submit="Add the fault"
        keeps
        onSubmit={async (given) => {
          const times = given('times') === '' ? {} : { times: Number(given('times')) };
          const rule = target.value?.rule(given('fault'), times);
          if (rule !== undefined) await live.surface.control(control.faults.add, { body: rule });
        }}
      >
        <Field label="Requests or deliveries" name="operation">
          <Select
            name="operation"
            options={faultTargets.map(({ name }) => name)}
            value={target.value?.name}
            onChoose={(chosen) => {
              target.value = faultTargets.find(({ name }) => name === chosen);
            }}
          />
        </Field>
        <div class="fields">
          <Field label="Fault" name="fault">
            <Select name="fault" key={target.value?.faults[0]} options={target.value?.faults ?? []} />
          </Field>
          <Field label="Times (empty: always)" name="times" inputMode="decimal" value="1" />
        </div>
      </Form>
    </details>
  );
}
