import { useState } from 'preact/hooks';
import type { PropertyValue } from '../../../contract/contact.js';
import { Action } from '../../elements/action.js';
import { Field, Form, type Given, Select } from '../../elements/form.js';
import { announce } from '../../elements/notices.js';
import { hrefOf } from '../../live/route.js';
import { firstNameIn, type PhoneContact } from '../../reading/people.js';
import { filled } from '../../reading/template-text.js';
import { operations } from '../../surface/operations.js';
import { parsed, written } from '../../surface/refused-error.js';
import { useLive } from '../use-live.js';

interface PanelProperties {
  readonly contact: PhoneContact;
}

/** Tracks an event of a contact by hand. */
export function EventPanel({ contact: { phone } }: PanelProperties) {
  const live = useLive();
  const known = live.heard.value;
  const heard = [...(known ?? [])];
  const track = async (given: Given) => {
    const properties = parsed(given('properties') || '{}');
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
      throw new Error('Write the properties as a JSON object, such as {"orderId": "A-1001"}.');
    const event = given('event').trim();
    await live.surface.api(operations.events.track, {
      body: { event, phone, properties: { ...properties } },
    });
    const isUnheard = known?.has(event) === false;
    announce(`The event is tracked${isUnheard ? ', but no journey or segment listens to it' : ''}.`);
  };
  return (
    <div class="panel">
      <Form label="Track an event" submit="Track the event" keeps onSubmit={track}>
        <Field label="Event" name="event" list="heard-events" value={heard[0]} required />
        <datalist id="heard-events">
          {heard.map((event) => (
            <option key={event} value={event} />
          ))}
        </datalist>
        <Field label="Properties, as JSON" name="properties">
          <textarea
            class="code"
            name="properties"
            rows={4}
            spellcheck={false}
            placeholder='{"orderId": "A-1001"}'
          />
        </Field>
      </Form>
      {heard.length > 0 && <small>Journeys and segments listen to {heard.join(', ')}.</small>}
    </div>
  );
}

/** The properties of a contact, to change and to add to, and the way to delete the contact. */
export function PropertiesPanel({ contact: { id, phone, properties } }: PanelProperties) {
  const { surface } = useLive();
  const set = (name: string, value: PropertyValue) =>
    surface.api(operations.contacts.update, { path: { id }, body: { properties: { [name]: value } } });
  const isEmpty = Object.keys(properties).length === 0;
  return (
    <div class="panel">
      {Object.entries(properties).map(([name, value]) => (
        <Form
          key={`${name} ${typeof value}`}
          label={`Property ${name}`}
          submit="Set"
          done={`${name} is set.`}
          keeps
          look="plain"
          onSubmit={async (given) => set(name, readValue(given(`properties.${name}`), value))}
        >
          <Field label={<b>{name}</b>} name={`properties.${name}`} value={written(value)} />
        </Form>
      ))}
      {isEmpty && <small>No properties yet.</small>}
      <details class="more" open={isEmpty}>
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
      <Action
        question={`Delete ${phone} for good?`}
        done={`${phone} is deleted.`}
        onRun={() => surface.api(operations.contacts.delete, { path: { id } })}
      >
        Delete the contact
      </Action>
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

/** Sends an approved template to a contact by hand, and shows beforehand what the contact will see. */
export function TemplatePanel({ contact: { phone, properties } }: PanelProperties) {
  const live = useLive();
  const [chosen, setChosen] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({
    '1': firstNameIn(properties) ?? '',
  });
  const approved = (live.templates.value ?? []).filter(({ status }) => status === 'approved');
  const template = approved.find(({ id }) => id === chosen) ?? approved[0];
  if (template === undefined) {
    return (
      <p class="panel">
        No template is approved. <a href={hrefOf('workspace')}>Add one in the workspace.</a>
      </p>
    );
  }
  const { id: templateId, body: text } = template;
  const variables = Object.fromEntries(template.variables.map((name) => [name, values[name] ?? '']));
  const send = () =>
    live.surface.api(operations.transactional.send, { body: { phone, templateId, variables } });
  return (
    <div class="panel">
      <Form label="Send a template" submit="Send" done="Sent." keeps onSubmit={send}>
        <Field label="Template" name="templateId">
          <Select
            name="templateId"
            options={approved.map(({ id }) => id)}
            value={templateId}
            onChoose={setChosen}
          />
        </Field>
        {template.variables.map((name) => (
          <Field
            key={`${templateId} ${name}`}
            label={`{{${name}}}`}
            name={`variables.${name}`}
            value={variables[name] ?? ''}
            onInput={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <div class="preview">
          <small>The contact sees</small>
          <p class="bubble">{filled(text, variables)}</p>
        </div>
      </Form>
    </div>
  );
}
