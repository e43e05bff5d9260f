import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Action } from './action.js';

interface ConfirmProperties {
  readonly onRun: () => Promise<unknown>;
  readonly children: ComponentChildren;
  /** The text of the button before the second press, which runs the action. */
  readonly question: string;
  readonly label?: string;
  readonly done?: string;
}

/** A button for an irreversible action: it needs two presses. Moving the focus away resets the first one. */
export function Confirm({ onRun, children, question, label, done }: ConfirmProperties) {
  const isAsked = useSignal(false);
  const run = async () => {
    isAsked.value = false;
    await onRun();
  };
  const ask = async () => {
    isAsked.value = true;
  };
  return (
    <span
      aria-live="polite"
      onFocusOut={() => {
        isAsked.value = false;
      }}
    >
      {isAsked.value ? (
        <Action key="button" look="danger" onRun={run} done={done}>
          {question}
        </Action>
      ) : (
        <Action key="button" look="danger" onRun={ask} label={label}>
          {children}
        </Action>
      )}
    </span>
  );
}
