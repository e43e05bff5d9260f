import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import './question.css';

interface Question {
  readonly text: string;
  /** The words on the button that agrees. */
  readonly verb: string;
  readonly decide: (isAgreed: boolean) => void;
}

const question = signal<Question>();

/** Asks before something that cannot be undone, or that concerns others. Resolves with whether the person agrees. */
export function ask(text: string, verb: string): Promise<boolean> {
  return new Promise((decide) => {
    question.value = { text, verb, decide };
  });
}

/** Where questions show. The first button has the focus. Escape cancels, and the focus goes back to the control that had it. */
export function Questions() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value: asked } = question;
  useLayoutEffect(() => {
    if (asked !== undefined) dialog.current?.showModal();
  }, [asked]);
  const end = ({ currentTarget }: { readonly currentTarget: HTMLDialogElement }) => {
    asked?.decide(currentTarget.returnValue === 'agreed');
    currentTarget.returnValue = '';
  };
  return (
    <dialog ref={dialog} class="question" aria-labelledby="question" onClose={end}>
      <p id="question">{asked?.text}</p>
      <form method="dialog" class="acts">
        <button type="submit">Cancel</button>
        <button
          type="submit"
          class="danger"
          value="agreed"
          // The second press of a double click was meant for what is below.
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          {asked?.verb}
        </button>
      </form>
    </dialog>
  );
}
