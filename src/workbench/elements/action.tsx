import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../surface/message-of.js';
import { announce } from './notices.js';

/** Runs an action, and shows its error. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
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
  readonly disabled?: boolean;
  readonly done?: string | undefined;
}

/** A button that runs one action at a time. The page shows `done` afterwards. */
export function Action({ onRun, children, look = 'plain', label, disabled = false, done }: ActionProperties) {
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
    >
      {children}
    </button>
  );
}
