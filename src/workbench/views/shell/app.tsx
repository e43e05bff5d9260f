import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Field, Form } from '../../elements/form.js';
import { Notices } from '../../elements/notices.js';
import { Questions } from '../../elements/question.js';
import { followTogether } from '../../live/tabs.js';
import { followWorkspace } from '../../live/workspace.js';
import { opening, openWith } from '../../surface/key.js';
import { Surface } from '../../surface/surface.js';
import { LiveContext } from '../use-live.js';
import { Room } from './room.js';
import './door.css';

/** The page: asks for a key where it has none, and shows the workspace that the key opens. */
export function App() {
  const { value: opened } = opening;
  const key = opened?.key;
  if (opened === undefined) return null;
  return (
    <>
      {key === undefined ? (
        <Door reason={opened.problem} before={opened.before} />
      ) : (
        <OpenRoom key={key} apiKey={key} />
      )}
      <Notices />
      <Questions />
    </>
  );
}

function OpenRoom({ apiKey }: { readonly apiKey: string }) {
  const live = useMemo(
    () =>
      followWorkspace(new Surface(apiKey), (...stream) =>
        followTogether(`messaging-automation.stream.${apiKey}`, ...stream),
      ),
    [apiKey],
  );
  useEffect(() => () => live.stop(), [live]);
  // Only a refusal concerns the room. To read the connection here would draw the whole room at each of its changes.
  const { value: reason } = useComputed(() => {
    const { value: connection } = live.connection;
    return connection.kind === 'refused' ? connection.error.message : undefined;
  });
  if (reason !== undefined) return <Door reason={reason} />;
  return (
    <LiveContext.Provider value={live}>
      <Room />
    </LiveContext.Provider>
  );
}

interface DoorProperties {
  /** Why the link or the last key opened nothing. */
  readonly reason: string | undefined;
  /** The key that a person can go back to. */
  readonly before?: string | undefined;
}

/** Asks for the key of a workspace. */
function Door({ reason, before }: DoorProperties) {
  return (
    <main class="door">
      <div class="card">
        <h1>Workbench</h1>
        {reason !== undefined && (
          <p class="why" role="alert">
            {reason}
          </p>
        )}
        <p>
          Open the link that <code>messaging-automation serve</code> printed last. Each link works once. Or
          enter a key of the workspace here. The tab keeps it until you close it.
        </p>
        <Form
          label="Open a workspace"
          submit="Open"
          onSubmit={async (given) => openWith(given('key').trim())}
        >
          <Field label="API key" name="key">
            <input name="key" type="password" autocomplete="off" spellcheck={false} required />
          </Field>
        </Form>
        {before !== undefined && (
          <button type="button" onClick={() => openWith(before)}>
            Back
          </button>
        )}
      </div>
    </main>
  );
}
