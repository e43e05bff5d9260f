import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Action } from './action.js';

interface ConfirmProperties {
  readonly onRun: () => Promise<unknown>;
  readonly children: ComponentChildren;
  /** What the button says before the second press, which runs the action. */
  readonly question: string;
  readonly label?: string;
  readonly done?: string;
}

/** A button for what cannot be undone: it takes two presses. Going elsewhere takes the first one back. */
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
