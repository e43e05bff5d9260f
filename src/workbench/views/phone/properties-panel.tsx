import type { PropertyValue } from '../../../contract/contact.js';
import { Confirm } from '../../elements/action.js';
import { Field, Form } from '../../elements/form.js';
import type { Contact } from '../../reading/people.js';
import { operations } from '../../surface/operations.js';
import { parsed, written } from '../../surface/refused-error.js';
import { useBench } from '../bench.js';

/** The properties of a contact, to change and to add to, and the way to delete the contact. */
export function PropertiesPanel({ contact: { id, phone, properties } }: { readonly contact: Contact }) {
  const { live } = useBench();
  const set = (name: string, value: PropertyValue) =>
    live.surface.api(operations.contacts.update, { path: { id }, body: { properties: { [name]: value } } });
  return (
    <div class="panel">
      {Object.entries(properties).map(([name, value]) => (
        <Property key={`${name} ${typeof value}`} name={name} value={value} onSet={set} />
      ))}
      {Object.keys(properties).length === 0 && <small>No properties yet.</small>}
      <details class="more" open={Object.keys(properties).length === 0}>
        <summary>+ Add a property</summary>
        <Form
          label="Add a property"
          submit="Add"
          onSubmit={async (given) => set(given('name').trim(), readValue(given('value')))}
        >
          <Field label="Name" name="name" placeholder="city" required />
          <Field label='Value, or JSON such as 3, true or ["tea"]' name="value" placeholder="Paris" />
        </Form>
      </details>
      <p class="id">
        <small>Id</small> <code>{id}</code>
      </p>
      <Confirm
        question={`Delete ${phone} for good?`}
        done={`${phone} is deleted.`}
        onRun={() => live.surface.api(operations.contacts.delete, { path: { id } })}
      >
        Delete the contact
      </Confirm>
    </div>
  );
}

/** The value that a person wrote. Throws if it is of another kind than before. */
function readValue(text: string, before?: PropertyValue): PropertyValue {
  if (typeof before === 'string') return text;
  const json = parsed(text);
  const isPlain = typeof json === 'number' || typeof json === 'boolean';
  const value = isPlain ? json : Array.isArray(json) ? json.map(String) : text;
  if (before !== undefined && typeof value !== typeof before)
    throw new Error(`Write JSON such as ${written(before)}.`);
  return value;
}

interface PropertyProperties {
  readonly name: string;
  readonly value: PropertyValue;
  readonly onSet: (name: string, value: PropertyValue) => Promise<unknown>;
}

function Property({ name, value, onSet }: PropertyProperties) {
  return (
    <Form
      label={`Property ${name}`}
      submit="Set"
      done={`${name} is set.`}
      keeps
      look="plain"
      onSubmit={async (given) => onSet(name, readValue(given(`properties.${name}`), value))}
    >
      <Field label={<b>{name}</b>} name={`properties.${name}`} value={written(value)} />
    </Form>
  );
}
