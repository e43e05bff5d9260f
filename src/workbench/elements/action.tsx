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
  /** What to ask first, for an action that is irreversible. */
  readonly question?: string;
}

/** A button that runs one action at a time. The page shows `done` afterwards. */
export function Action({ onRun, question, look, done, ...button }: ActionProperties) {
  const [isRunning, setRunning] = useState(false);
  const run = async ({ currentTarget }: { readonly currentTarget: HTMLButtonElement }) => {
    if (isRunning) return;
    if (question !== undefined && !(await ask(question, currentTarget.innerText))) return;
    setRunning(true);
    const succeeded = await attempt(onRun);
    setRunning(false);
    if (succeeded && done !== undefined) announce(done);
  };
  const usual = question === undefined ? 'plain' : 'danger';
  return <button type="button" class={look ?? usual} onClick={run} aria-busy={isRunning} {...button} />;
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
