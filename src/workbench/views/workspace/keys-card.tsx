import { signal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { Action } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Copy } from '../../elements/copy.js';
import { JsonFile } from '../../elements/json-file.js';
import { counted } from '../../reading/counted.js';
import { askForAnotherKey, linkFor, replaceKey } from '../../surface/key.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

/** The latest new key. A module variable, because the view is created again after a rotation. */
const made = signal<string>();

/** Issues another key, or replaces the one that the page has. */
export function KeysCard() {
  const { surface } = useLive();
  const issue = async () => {
    made.value = (await surface.control(control.keys.issue)).apiKey;
  };
  const rotate = async () => {
    const { apiKey } = await surface.control(control.keys.rotate);
    made.value = apiKey;
    replaceKey(apiKey);
  };
  return (
    <Card title="Keys">
      <div class="acts">
        <Action onRun={issue}>Issue another key</Action>
        <Action
          question="Rotate? The old key stops working."
          done="Key rotated. The open tabs use the new one."
          onRun={rotate}
        >
          Rotate this page's key
        </Action>
      </div>
      {made.value !== undefined && <NewKey apiKey={made.value} />}
    </Card>
  );
}

/** A key that was just made. Nothing shows it again. */
function NewKey({ apiKey }: { readonly apiKey: string }) {
  return (
    <div class="new-key" role="status">
      <p>Save this key. It is not shown again.</p>
      <code>{apiKey}</code>
      <div class="acts">
        <Copy text={apiKey}>Copy the key</Copy>
        <Action onRun={async () => void window.open(await linkFor(apiKey), '_blank', 'noopener')}>
          Open in a new tab
        </Action>
      </div>
    </div>
  );
}

/** The workspaces of the server, and a way to create one. The key of the first workspace may do both. */
export function OtherWorkspacesCard() {
  const live = useLive();
  const [newKey, setNewKey] = useState<string>();
  // The server counts the contacts of all, so it is not asked after each change of a contact.
  const workspaces = useMemo(
    () => live.shows(() => live.surface.control(control.workspaces.list), 'workspaces'),
    [live],
  );
  const { value, problem } = workspaces;
  const create = async (body: object) => {
    setNewKey((await live.surface.control(control.workspaces.create, { body })).apiKey);
    await workspaces.refresh();
  };
  return (
    <Card title="Workspaces of this server">
      {problem !== undefined && <small>{problem}</small>}
      <ul class="bare rows">
        {value?.data.map(({ workspaceId, contacts }) => (
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
      {newKey !== undefined && <NewKey apiKey={newKey} />}
      <div class="acts">
        <button type="button" onClick={askForAnotherKey}>
          Open another workspace …
        </button>
        <Action onRun={() => create({})}>Create an empty workspace</Action>
      </div>
      <JsonFile label="Create a workspace from a seed" onFile={create} />
    </Card>
  );
}
