import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../surface/refused-error.js';
import { announce, forgetError } from './notices.js';

/** Runs an action, and shows its error. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    forgetError();
    return true;
  } catch (error) {
    announce(messageOf(error), 'bad');
    return false;
  }
}

interface ActionProperties {
  readonly onRun: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly label?: string | undefined;
  /** The key that presses the button. */
  readonly shortcut?: string | undefined;
  readonly disabled?: boolean;
  readonly done?: string | undefined;
}

/** A button that runs one action at a time. The page shows `done` afterwards. */
export function Action(properties: ActionProperties) {
  const { onRun, children, look = 'plain', label, shortcut, disabled = false, done } = properties;
  const isRunning = useSignal(false);
  const run = async () => {
    if (isRunning.value) return;
    isRunning.value = true;
    const succeeded = await attempt(onRun);
    isRunning.value = false;
    if (succeeded && done !== undefined) announce(done);
  };
  return (
    <button
      type="button"
      class={look}
      onClick={run}
      disabled={disabled}
      aria-busy={isRunning.value}
      aria-label={label}
      aria-keyshortcuts={shortcut}
    >
      {children}
    </button>
  );
}

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
