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
  question.peek()?.decide(false);
  return new Promise((decide) => {
    question.value = { text, verb, decide };
  });
}

/** Where questions show. Escape cancels, and the focus goes back to the control that had it. */
export function Questions() {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const { value: asked } = question;
  useLayoutEffect(() => {
    if (asked === undefined) return;
    dialog.current?.showModal();
    cancel.current?.focus();
  }, [asked]);
  const end = (isAgreed: boolean) => {
    question.value = undefined;
    // Closing the dialog also gives the focus back.
    dialog.current?.close();
    asked?.decide(isAgreed);
  };
  return (
    <dialog
      ref={dialog}
      class="question"
      aria-labelledby="question"
      onCancel={(event) => {
        event.preventDefault();
        end(false);
      }}
    >
      <p id="question">{asked?.text}</p>
      <div class="acts">
        <button ref={cancel} type="button" onClick={() => end(false)}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          // The second press of a double click was meant for what is below.
          onClick={({ detail }) => detail < 2 && end(true)}
        >
          {asked?.verb}
        </button>
      </div>
    </dialog>
  );
}
