import { useState } from 'preact/hooks';
import { Action } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Field, Form, type Given, Select } from '../../elements/form.js';
import { counted } from '../../reading/counted.js';
import { faultTargets } from '../../reading/fault-targets.js';
import { faultInWords } from '../../reading/faults.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

/** The fault rules, how often each one hit, and a form for another. */
export function FaultsCard() {
  const live = useLive();
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
                aria-label={`Remove the fault: ${faultInWords(rule)}`}
                onRun={() => surface.control(control.faults.remove, { path: { id } })}
              >
                Remove
              </Action>
            </header>
            <small>
              injected into {counted(injected)} of {counted(matched)}{' '}
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
  const { surface } = useLive();
  const [chosen, setChosen] = useState('');
  const target = faultTargets.find(({ name }) => name === chosen) ?? faultTargets[0];
  const faults = Object.keys(target?.rules ?? {});
  const add = async (given: Given) => {
    const times = given('times') === '' ? {} : { times: Number(given('times')) };
    const rule = target?.rules[given('fault')];
    if (rule !== undefined) await surface.control(control.faults.add, { body: { ...rule, ...times } });
  };
  return (
    <details class="more">
      <summary>+ Add a fault</summary>
      <Form label="Add a fault" submit="Add the fault" keeps onSubmit={add}>
        <Field label="Requests or deliveries" name="operation">
          <Select
            name="operation"
            options={faultTargets.map(({ name }) => name)}
            value={target?.name}
            onChoose={setChosen}
          />
        </Field>
        <div class="fields">
          <Field label="Fault" name="fault">
            <Select name="fault" key={faults[0]} options={faults} />
          </Field>
          <Field label="Times (empty: always)" name="times" inputMode="decimal" value="1" />
        </div>
      </Form>
    </details>
  );
}
