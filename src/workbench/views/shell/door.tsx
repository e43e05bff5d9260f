import './door.css';

interface DoorProperties {
  readonly onOpen: (key: string) => void;
  /** Why the link or the last key opened nothing. */
  readonly reason?: string | undefined;
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
            {reason}
          </p>
        )}
        <p>
          Open the link that <code>messaging-automation serve</code> printed last: each opens the page once.
          Or enter a key of the workspace here. The tab keeps it until you close it.
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
