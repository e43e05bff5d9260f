import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Card } from '../../elements/card.js';
import { Field, Form } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { parsed } from '../../surface/refused-error.js';
import { useBench } from '../bench.js';
import { NewKey } from './keys-card.js';

/** The workspaces of the server, and a way to create one. The key of the first workspace may do both. */
export function OtherWorkspacesCard() {
  const { live } = useBench();
  const made = useSignal<string>();
  // The server counts the contacts of all, so it is not asked after each change of a contact.
  const workspaces = useMemo(
    () => live.shows(async () => (await live.surface.control(control.workspaces.list)).data, 'workspaces'),
    [live],
  );
  const { value = [], problem } = workspaces;
  return (
    <Card title="Workspaces of this server">
      {problem !== undefined && <small>{problem}</small>}
      <ul class="bare rows">
        {value.map(({ workspaceId, contacts }) => (
          <li key={workspaceId}>
            <header>
              <code>{workspaceId}</code>
              {workspaceId === live.id.value ? (
                <span class="tag ok">this one</span>
              ) : (
                <span class="tag plain">{contacts.toLocaleString('en')} contacts</span>
              )}
            </header>
          </li>
        ))}
      </ul>
      {made.value !== undefined && <NewKey apiKey={made.value} />}
      <details class="more">
        <summary>+ Create a workspace</summary>
        <Form
          label="Create a workspace"
          submit="Create"
          done="Workspace created."
          keeps
          onSubmit={async (given) => {
            const seed = parsed(given('seed') || '{}');
            if (typeof seed !== 'object' || seed === null)
              throw new Error('Paste a JSON object: a seed, or {} for an empty workspace.');
            made.value = (await live.surface.control(control.workspace.create, { body: seed })).apiKey;
            await workspaces.refresh();
          }}
        >
          <Field label="Seed, as JSON" name="seed">
            <textarea class="code" name="seed" rows={4} spellcheck={false} placeholder='{"quota": 100}' />
          </Field>
        </Form>
      </details>
    </Card>
  );
}
