import { Field, Form } from '../../elements/form.js';
import './door.css';

interface DoorProperties {
  readonly onOpen: (key: string) => void;
  /** Why the link or the last key opened nothing. */
  readonly reason?: string | undefined;
}

/** Asks for the key of a workspace. */
export function Door({ onOpen, reason }: DoorProperties) {
  return (
    <main class="door">
      <div class="card">
        {' '}
        <h1>Workbench</h1>
        {reason !== undefined && (
          <p class="why" role="alert">
            {reason}
          </p>
        )}
        <p>
          Open the link that <code>messaging-automation serve</code> printed last: each opens the page once.
          Or enter a key of the workspace here. The tab keeps it until you close it.
        </p>
        <Form label="Open a workspace" submit="Open" onSubmit={async (given) => onOpen(given('key').trim())}>
          <Field label="API key" name="key">
            <input name="key" type="password" autocomplete="off" spellcheck={false} required />
          </Field>
        </Form>
      </div>
    </main>
  );
}
