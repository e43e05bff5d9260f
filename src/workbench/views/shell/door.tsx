import type { RefusedError } from '../../surface/refused-error.js';
import './door.css';

interface DoorProperties {
  readonly onOpen: (key: string) => void;
  /** Why the last key did not open a workspace. */
  readonly reason?: RefusedError;
}

/** Asks for the key of a workspace. */
export function Door({ onOpen, reason }: DoorProperties) {
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('key');
    if (typeof given === 'string' && given.trim() !== '') onOpen(given.trim());
  };
  return (
    <main class="door">
      <form onSubmit={submit}>
        <h1>Workbench</h1>
        {reason !== undefined && (
          <p class="why" role="alert">
            {reason.status === 401
              ? 'This key opens no workspace of the server. It was rotated, or the server was started anew.'
              : reason.message}
          </p>
        )}
        <p>
          Open the page with the URL that <code>messaging-automation serve</code> prints when it starts: it
          has the key in it. Or enter the key here. This tab keeps it until you close the tab.
        </p>
        <label>
          API key
          <input name="key" type="password" autocomplete="off" spellcheck={false} required />
        </label>
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}
