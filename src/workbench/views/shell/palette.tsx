import { useRef, useState } from 'preact/hooks';
import { Later } from './later.js';
import './palette.css';

/** A button that opens a list of views, contacts, actions and entries, with a search. Ctrl-K opens it, too. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="to-palette"
        aria-keyshortcuts="Control+k /"
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        Find <kbd>Ctrl K</kbd>
      </button>
      <dialog
        ref={dialog}
        class="palette"
        aria-label="Find a view, a contact, an action or an entry"
        onClose={() => setOpen(false)}
        {...{ closedby: 'any' }}
      >
        {isOpen && <Later>{({ Choices }) => <Choices onChosen={() => dialog.current?.close()} />}</Later>}
      </dialog>
    </>
  );
}

/** What the keys do, on each view. */
const keys = {
  'Ctrl K': 'find a view, a contact, a journey, a run, a template, an action or an entry',
  '/': 'find text',
  j: 'next',
  k: 'previous',
  Enter: 'open',
  Esc: 'close',
  r: 'redeliver',
  c: 'write as the contact',
  '?': 'show the keys',
} as const;

/** A button that lists the keys. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label="Show the keys"
        aria-keyshortcuts="?"
        onClick={() => dialog.current?.showModal()}
      >
        ?
      </button>
      <dialog ref={dialog} class="palette of-keys" aria-label="Keys" {...{ closedby: 'any' }}>
        <dl class="facts">
          {Object.entries(keys).map(([key, what]) => (
            <>
              <dt key={key}>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
        <form method="dialog" class="acts">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
