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
