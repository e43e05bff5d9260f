import { type ComponentChildren, createContext, type PartialSelectHTMLAttributes } from 'preact';
import { useContext, useState } from 'preact/hooks';
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
export function Form({ onSubmit, submit, label, children, done, keeps, look = 'primary' }: FormProperties) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>(noProblem);
  const run = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    if (isRunning) return;
    const form = event.currentTarget;
    const values = new FormData(form);
    setRunning(true);
    try {
      await onSubmit((name) => String(values.get(name) ?? ''));
      setProblem(noProblem);
      if (!keeps) form.reset();
      if (done !== undefined) announce(done);
    } catch (error) {
      setProblem(problemOf(error, [...values.keys()]));
    }
    setRunning(false);
  };
  return (
    <form class="form" aria-label={label} onSubmit={run}>
      <Refused.Provider value={problem.fields}>{children}</Refused.Provider>
      {problem.text !== '' && (
        <p class="problem" role="alert">
          {problem.text}
        </p>
      )}
      <button type="submit" class={look} aria-busy={isRunning}>
        {submit}
      </button>
    </form>
  );
}

interface Problem {
  readonly text: string;
  readonly fields: readonly RefusedField[];
}

const noProblem: Problem = { text: '', fields: [] };

/** Returns the message of an error, unless fields of the form show all of it. */
function problemOf(error: unknown, names: readonly string[]): Problem {
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
  /** The id of a list of suggestions. */
  readonly list?: string;
  readonly placeholder?: string;
  readonly inputMode?: 'text' | 'decimal' | 'tel';
  readonly required?: boolean;
  /** The initial value. With `onInput`: the current value. */
  readonly value?: string | undefined;
  readonly onInput?: (value: string) => void;
}

/** A field of a form, with its error from the server. */
export function Field({ label, name, children, value = '', onInput, ...input }: FieldProperties) {
  const problem = useContext(Refused).find(({ field }) => isAt(field, name));
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child, or the line of text.
    <label class="field">
      <span>{label}</span>
      {children ?? (
        <input
          type="text"
          name={name}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          {...input}
          // With `value`, each render would overwrite the user's input.
          {...(onInput === undefined
            ? { defaultValue: value }
            : { value, onInput: (event) => onInput(event.currentTarget.value) })}
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

interface SelectProperties<Option extends string | number>
  extends Omit<PartialSelectHTMLAttributes<HTMLSelectElement>, 'role'> {
  readonly options: readonly Option[];
  readonly onChoose?: (option: Option) => void;
  /** The words of an option. Default: the option itself. */
  readonly words?: Readonly<Record<Option, string>>;
}

/** A choice of one option. Default: the first. */
export function Select<Option extends string | number>(properties: SelectProperties<Option>) {
  const { options, onChoose, words, ...select } = properties;
  return (
    <select
      onChange={({ currentTarget }) => {
        const chosen = options[currentTarget.selectedIndex];
        if (chosen !== undefined) onChoose?.(chosen);
      }}
      {...select}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {words?.[option] ?? option}
        </option>
      ))}
    </select>
  );
}
