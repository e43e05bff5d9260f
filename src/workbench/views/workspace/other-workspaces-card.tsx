import { useSignal } from '@preact/signals';
import { Card } from '../../elements/card.js';
import { Field, Form } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { parsed } from '../../surface/refused-error.js';
import { useBench } from '../bench.js';
import { NewKey } from './new-key.js';

/** Creates another workspace from a seed. The key of the first workspace may. */
export function OtherWorkspacesCard() {
  const { live } = useBench();
  const made = useSignal<{ readonly workspaceId: string; readonly apiKey: string } | undefined>(undefined);
  return (
    <Card title="Other workspaces">
      <Form
        label="Create a workspace"
        submit="Create a workspace"
        keeps
        onSubmit={async (given) => {
          const seed = parsed(given('seed') || '{}');
          if (typeof seed !== 'object' || seed === null)
            throw new Error('Paste a JSON object: a seed, or {} for an empty workspace.');
          made.value = await live.surface.control(control.workspace.create, { body: seed });
        }}
      >
        <Field label="Seed, as JSON" name="seed">
          <textarea class="code" name="seed" rows={4} spellcheck={false} placeholder='{"quota": 100}' />
        </Field>
      </Form>
      {made.value !== undefined && (
        <>
          <p class="after">
            <code>{made.value.workspaceId}</code> is there.
          </p>
          <NewKey apiKey={made.value.apiKey} />
        </>
      )}
    </Card>
  );
}
