import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
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

interface ActionProperties extends ComponentProps<'button'> {
  readonly onRun: () => Promise<unknown>;
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly done?: string | undefined;
}

/** A button that runs one action at a time. The page shows `done` afterwards. */
export function Action({ onRun, look = 'plain', done, ...button }: ActionProperties) {
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    if (isRunning) return;
    setRunning(true);
    const succeeded = await attempt(onRun);
    setRunning(false);
    if (succeeded && done !== undefined) announce(done);
  };
  return <button type="button" class={look} onClick={run} aria-busy={isRunning} {...button} />;
}

interface ConfirmProperties extends ActionProperties {
  /** The words on the button, and on the button that agrees. */
  readonly children: string;
  readonly question: string;
}

/** A button for an irreversible action: it asks first. */
export function Confirm({ question, onRun, done, ...button }: ConfirmProperties) {
  const run = async () => {
    if (!(await ask(question, button.children))) return;
    await onRun();
    if (done !== undefined) announce(done);
  };
  return <Action look="danger" onRun={run} {...button} />;
}

/** A button that is on or off. */
export function Choice({ isOn, ...button }: ComponentProps<'button'> & { readonly isOn: boolean }) {
  return <button type="button" class="choice" aria-pressed={isOn} {...button} />;
}

interface ChoicesProperties<Option extends string> {
  readonly label: string;
  readonly options: readonly Option[];
  readonly chosen: Option;
  readonly onChoose: (option: Option) => void;
  readonly children?: ComponentChildren;
}

/** Buttons of which one is on. */
export function Choices<Option extends string>(properties: ChoicesProperties<Option>) {
  const { label, options, chosen, onChoose, children } = properties;
  return (
    <div class="choices" role="group" aria-label={label}>
      {options.map((option) => (
        <Choice key={option} isOn={option === chosen} onClick={() => onChoose(option)}>
          {option}
        </Choice>
      ))}
      {children}
    </div>
  );
}
