import { useSignal } from '@preact/signals';
import { Field, Form, Select } from '../../elements/form.js';
import { hrefOf } from '../../live/route.js';
import { type Contact, firstNameIn } from '../../reading/people.js';
import { filled } from '../../reading/template-text.js';
import { operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** Sends an approved template to a contact by hand, and shows beforehand what the contact will see. */
export function TemplatePanel({ contact: { phone, properties } }: { readonly contact: Contact }) {
  const { live } = useBench();
  const chosen = useSignal('');
  const values = useSignal<Readonly<Record<string, string>>>({ '1': firstNameIn(properties) ?? '' });
  const approved = (live.templates.value ?? []).filter(({ status }) => status === 'approved');
  const template = approved.find(({ id }) => id === chosen.value) ?? approved[0];
  if (template === undefined) {
    return (
      <p class="panel">
        No template is approved. <a href={hrefOf('workspace')}>Add one in the workspace.</a>
      </p>
    );
  }
  const variables = Object.fromEntries(template.variables.map((name) => [name, values.value[name] ?? '']));
  return (
    <div class="panel">
      <Form
        label="Send a template"
        submit="Send"
        done="Sent."
        keeps
        onSubmit={() =>
          live.surface.api(operations.transactional.send, {
            body: { phone, templateId: template.id, variables },
          })
        }
      >
        <Field label="Template" name="templateId">
          <Select
            name="templateId"
            options={approved.map(({ id }) => id)}
            value={template.id}
            onChoose={(id) => {
              chosen.value = id;
            }}
          />
        </Field>
        {template.variables.map((name) => (
          <Field
            key={`${template.id} ${name}`}
            label={`{{${name}}}`}
            name={`variables.${name}`}
            value={variables[name] ?? ''}
            onInput={(value) => {
              values.value = { ...values.value, [name]: value };
            }}
          />
        ))}
        <div class="preview">
          <small>The contact sees</small>
          <p class="bubble">{filled(template.body, variables)}</p>
        </div>
      </Form>
    </div>
  );
}
