import type { TemplateRecord, TemplateStatus } from '../../../server/model/records.js';
import { Action, attempt } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Foreign } from '../../elements/foreign.js';
import { Field, Form, Select } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

const statuses: readonly TemplateStatus[] = ['approved', 'pending', 'rejected', 'paused'];

/** The templates: each one's status and text, and a way to add another. */
export function TemplatesCard() {
  const live = useLive();
  const { value: templates = [] } = live.templates;
  return (
    <Card title="Templates" aside={<small>Only approved templates can be sent.</small>}>
      <ul class="bare rows">
        {templates.map((template) => (
          <Template key={template.id} {...template} />
        ))}
      </ul>
      <details class="more" open={templates.length === 0}>
        <summary>+ Add a template</summary>
        <Form
          label="Add a template"
          submit="Add"
          onSubmit={(given) => {
            const body = { id: given('id').trim(), body: given('body') };
            return live.surface.control(control.templates.put, { body });
          }}
        >
          <Field label="Id" name="id" placeholder="order_update" required />
          <Field label="Text" name="body">
            <textarea name="body" required placeholder="Hello {{1}}, your order {{2}} is on its way." />
          </Field>
        </Form>
      </details>
    </Card>
  );
}

function Template({ id, status, body }: Pick<TemplateRecord, 'id' | 'status' | 'body'>) {
  const live = useLive();
  const change = (to: { readonly status?: TemplateStatus; readonly body?: string }) =>
    live.surface.control(control.templates.update, { path: { id }, body: to });
  return (
    <li class={status === 'approved' ? '' : 'changed'}>
      <header>
        <b>
          <Foreign text={id} most={200} />
        </b>
        <Select
          aria-label={`Status of ${id}`}
          options={statuses}
          value={status}
          onChoose={(to) => attempt(() => change({ status: to }))}
        />
      </header>
      <p>
        <Foreign text={body} />
      </p>
      <details class="more">
        <summary aria-label={`Edit ${id}`}>Edit</summary>
        <Form
          label={`Text of ${id}`}
          submit="Save the text"
          done="Saved."
          keeps
          look="plain"
          onSubmit={(given) => change({ body: given('body') })}
        >
          <Field label="Text" name="body">
            <textarea name="body" required defaultValue={body} />
          </Field>
        </Form>
        <p class="after">
          <Action
            question={`Remove ${id}? Journeys that send it will fail.`}
            aria-label={`Remove ${id}`}
            onRun={() => live.surface.control(control.templates.remove, { path: { id } })}
          >
            Remove
          </Action>
        </p>
      </details>
    </li>
  );
}
