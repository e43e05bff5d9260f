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
              ? 'No workspace has this key. It was rotated, or the server restarted.'
              : reason.message}
          </p>
        )}
        <p>
          Open the URL that <code>messaging-automation serve</code> prints: it contains the key. Or enter the
          key here. The tab stores it until you close it.
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
