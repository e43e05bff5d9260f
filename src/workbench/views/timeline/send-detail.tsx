import { Card } from '../../elements/card.js';
import type { EntryOf } from '../../surface/entry.js';
import { useBench } from '../bench.js';

const payers = { plan: "the plan's quota", add_on: 'add-on credits' } as const;

/** A send: its template, the variables, and what it took off the quota. */
export function SendDetail({ entry }: { readonly entry: EntryOf<'send'> }) {
  const { live } = useBench();
  const { templateId, variables, phone, paidBy, id } = entry.send;
  const template = live.templates.value?.find((each) => each.id === templateId);
  return (
    <Card title="Template" aside={<small>{id}</small>}>
      <dl class="facts">
        <dt>to</dt>
        <dd>{phone}</dd>
        <dt>template</dt>
        <dd>
          {templateId}
          {template === undefined ? ' (removed since)' : ''}
        </dd>
        {template !== undefined && (
          <>
            <dt>body</dt>
            <dd>
              <code>{template.body}</code>
            </dd>
          </>
        )}
        {Object.entries(variables).map(([name, value]) => (
          <>
            <dt key={name}>
              <code>{`{{${name}}}`}</code>
            </dt>
            <dd>{value}</dd>
          </>
        ))}
        <dt>cost</dt>
        <dd>1 conversation of {payers[paidBy]}</dd>
      </dl>
    </Card>
  );
}
