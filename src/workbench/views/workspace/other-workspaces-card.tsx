import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Action } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { JsonFile } from '../../elements/json-file.js';
import { counted } from '../../reading/counted.js';
import { control } from '../../surface/operations.js';
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
  const create = async (body: object) => {
    made.value = (await live.surface.control(control.workspace.create, { body })).apiKey;
    await workspaces.refresh();
  };
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
                <span class="tag plain">{counted(contacts)} contacts</span>
              )}
            </header>
          </li>
        ))}
      </ul>
      {made.value !== undefined && <NewKey apiKey={made.value} />}
      <div class="acts">
        <Action onRun={() => create({})}>Create an empty workspace</Action>
      </div>
      <JsonFile label="Create a workspace from a seed" onFile={create} />
    </Card>
  );
}
