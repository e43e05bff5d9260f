import type { PropertyValue } from '../../../contract/contact.js';
import { Confirm } from '../../elements/action.js';
import { Field, Form, type Given } from '../../elements/form.js';
import type { Contact } from '../../reading/people.js';
import {
  kindOf,
  type PropertyKind,
  propertyKinds,
  readValue,
  written,
} from '../../reading/property-value.js';
import { operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The properties of a contact, to change and to add to, and the way to delete the contact. */
export function PropertiesPanel({ contact: { id, phone, properties } }: { readonly contact: Contact }) {
  const { live } = useBench();
  const set = (name: string, value: PropertyValue) =>
    live.surface.api(operations.contacts.update, { path: { id }, body: { properties: { [name]: value } } });
  return (
    <div class="panel">
      {Object.entries(properties).map(([name, value]) => (
        <Property key={`${name} ${kindOf(value)}`} name={name} value={value} onSet={set} />
      ))}
      {Object.keys(properties).length === 0 && <small>No properties yet.</small>}
      <details class="more" open={Object.keys(properties).length === 0}>
        <summary>+ Add a property</summary>
        <Form
          label="Add a property"
          submit="Add"
          onSubmit={async (given) => set(given('name').trim(), readValue(kindGiven(given), given('value')))}
        >
          <div class="fields">
            <Field label="Name" name="name" placeholder="city" required />
            <Field label="Kind" name="kind">
              <select name="kind">
                {propertyKinds.map((kind) => (
                  <option key={kind}>{kind}</option>
                ))}
              </select>
            </Field>
          </div>
          <Field label="Value" name="value" placeholder="Paris" />
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

function kindGiven(given: Given): PropertyKind {
  return propertyKinds.find((kind) => kind === given('kind')) ?? 'text';
}

interface PropertyProperties {
  readonly name: string;
  readonly value: PropertyValue;
  readonly onSet: (name: string, value: PropertyValue) => Promise<unknown>;
}

/** A property, which keeps its kind when it changes. */
function Property({ name, value, onSet }: PropertyProperties) {
  const kind = kindOf(value);
  return (
    <Form
      label={`Property ${name}`}
      submit="Set"
      done={`${name} is set.`}
      keeps
      look="plain"
      onSubmit={async (given) => onSet(name, readValue(kind, given(`properties.${name}`)))}
    >
      <Field
        label={
          <>
            <b>{name}</b> {kind}
          </>
        }
        name={`properties.${name}`}
        value={written(value)}
      />
    </Form>
  );
}
