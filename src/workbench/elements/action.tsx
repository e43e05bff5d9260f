import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../surface/refused-error.js';
import { announce, forgetError } from './notices.js';
import { ask } from './question.js';

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
  /** The words on the button, and on the button that agrees. */
  readonly children: string;
  readonly question: string;
  readonly label?: string;
  readonly done?: string;
}

/** A button for an irreversible action: it asks first. */
export function Confirm({ onRun, children, question, label, done }: ConfirmProperties) {
  const run = async () => {
    if (!(await ask(question, children))) return;
    await onRun();
    if (done !== undefined) announce(done);
  };
  return (
    <Action look="danger" onRun={run} label={label}>
      {children}
    </Action>
  );
}

interface ChoiceProperties {
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  readonly label?: string;
  readonly title?: string;
}

/** A button that is on or off. */
export function Choice({ isOn, onClick, children, label, title }: ChoiceProperties) {
  return (
    <button
      type="button"
      class="choice"
      aria-pressed={isOn}
      aria-label={label}
      title={title}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
