import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { messageOf, RefusedError, type RefusedField } from '../surface/refused-error.js';
import { announce } from './notices.js';
import './form.css';

/** Returns the text of a field. */
export type Given = (name: string) => string;

/** The fields that the server rejected. A form provides them to its fields. */
const Refused = createContext<readonly RefusedField[]>([]);

interface FormProperties {
  readonly onSubmit: (given: Given) => Promise<unknown>;
  /** The words on the button. */
  readonly submit: string;
  readonly label: string;
  readonly children: ComponentChildren;
  /** The text that the page shows afterwards. */
  readonly done?: string;
  /** Whether the fields keep their values after the form is sent. */
  readonly keeps?: boolean;
  readonly look?: 'primary' | 'plain';
}

/** A form that shows the errors of the server at their fields, and other errors below. */
export function Form({
  onSubmit,
  submit,
  label,
  children,
  done,
  keeps = false,
  look = 'primary',
}: FormProperties) {
  const isRunning = useSignal(false);
  const problem = useSignal<{ readonly text: string; readonly fields: readonly RefusedField[] }>({
    text: '',
    fields: [],
  });
  const run = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    if (isRunning.value) return;
    const form = event.currentTarget;
    const values = new FormData(form);
    isRunning.value = true;
    try {
      await onSubmit((name) => String(values.get(name) ?? ''));
      problem.value = { text: '', fields: [] };
      if (!keeps) form.reset();
      if (done !== undefined) announce(done);
    } catch (error) {
      problem.value = problemOf(error, [...values.keys()]);
    }
    isRunning.value = false;
  };
  const { text, fields } = problem.value;
  return (
    <form class="form" aria-label={label} onSubmit={run}>
      <Refused.Provider value={fields}>{children}</Refused.Provider>
      {text !== '' && (
        <p class="problem" role="alert">
          {text}
        </p>
      )}
      <button type="submit" class={look} aria-busy={isRunning.value}>
        {submit}
      </button>
    </form>
  );
}

/** Returns the message of an error, unless fields of the form show all of it. */
function problemOf(error: unknown, names: readonly string[]) {
  const text = messageOf(error);
  const fields = error instanceof RefusedError ? error.fields : [];
  const isAtFields =
    fields.length > 0 && fields.every((refused) => names.some((name) => isAt(refused.field, name)));
  return { text: isAtFields ? '' : text, fields };
}

function isAt(refused: string, name: string): boolean {
  return refused === name || refused.startsWith(`${name}.`) || refused.startsWith(`${name}[`);
}

interface FieldProperties {
  readonly label: ComponentChildren;
  /** The name of the field, as the server has it. */
  readonly name: string;
  /** The control. Default: a field for a line of text. */
  readonly children?: ComponentChildren;
  /** The initial value. With `onInput`: the current value. */
  readonly value?: string;
  readonly placeholder?: string;
  readonly inputMode?: 'text' | 'decimal' | 'tel';
  readonly required?: boolean;
  readonly onInput?: (value: string) => void;
}

/** A field of a form, with its error from the server. */
export function Field({ label, name, children, value, onInput, ...input }: FieldProperties) {
  const problem = useContext(Refused).find(({ field }) => isAt(field, name));
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child, or the line of text.
    <label class="field">
      <span>{label}</span>
      {children ?? (
        <input
          name={name}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          {...input}
          // With `value`, each render would overwrite the user's input.
          {...(onInput === undefined
            ? { defaultValue: value ?? '' }
            : { value: value ?? '', onInput: (event) => onInput(event.currentTarget.value) })}
        />
      )}
      {problem && (
        <span class="problem" role="alert">
          {problem.message}
        </span>
      )}
    </label>
  );
}

interface SelectProperties<Option extends string | number> {
  readonly options: readonly Option[];
  /** The option that is chosen. Default: the first. */
  readonly value?: Option | undefined;
  readonly onChoose?: (option: Option) => void;
  /** The words of an option. Default: the option itself. */
  readonly words?: Readonly<Record<Option, string>>;
  readonly name?: string;
  readonly id?: string;
  readonly label?: string;
}

/** A choice of one option. */
export function Select<Option extends string | number>({
  options,
  onChoose,
  words,
  label,
  ...rest
}: SelectProperties<Option>) {
  return (
    <select
      aria-label={label}
      onChange={({ currentTarget }) => {
        const chosen = options[currentTarget.selectedIndex];
        if (chosen !== undefined) onChoose?.(chosen);
      }}
      {...rest}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {words?.[option] ?? option}
        </option>
      ))}
    </select>
  );
}
