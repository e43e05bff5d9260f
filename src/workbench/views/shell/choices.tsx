import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { hrefOf, hrefOfPhone, labelOf, viewNames, views } from '../../live/route.js';
import type { FollowedWorkspace } from '../../live/workspace.js';
import { describeEntry } from '../../reading/describe-entry.js';
import { everything, passes } from '../../reading/filter.js';
import { isFound, nameOf } from '../../reading/people.js';
import { timeNear } from '../../reading/times.js';
import type { EntryJson } from '../../surface/entry.js';
import { useLive } from '../use-live.js';

/** Something that a person can go to or do. */
interface Choice {
  readonly kind: 'View' | 'Contact' | 'Journey' | 'Run' | 'Template' | 'Action' | 'Entry';
  readonly name: string;
  readonly detail: string;
  /** Where to go, or the button to press. */
  readonly target: string | HTMLElement;
  /** The name of the control there that gets the focus. */
  readonly control?: string;
}

/** How many choices of a kind are listed. */
const listed = 5;

/** The search of the palette, and what it finds. */
export function Choices({ onChosen }: { readonly onChosen: () => void }) {
  const live = useLive();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = choicesFor(text.trim().toLowerCase(), live);
  const current = Math.min(at, choices.length - 1);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => list.current?.children[current]?.scrollIntoView({ block: 'nearest' }));
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onChosen();
    const { target, control } = choice;
    if (typeof target !== 'string') return target.click();
    location.assign(target);
    if (control !== undefined) focusOn(control);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') choose(choices[current]);
    else if (step === undefined) return;
    else setAt((current + step + choices.length) % choices.length);
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Find"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={current < 0 ? undefined : `choice-${current}`}
        placeholder="A view, a contact, a journey, a template, an action, or text in an entry …"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={list} id="choices" role="listbox" aria-label="Found">
        {choices.map((choice, index) => (
          <button
            key={`${choice.kind} ${choice.name} ${choice.detail}`}
            id={`choice-${index}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => choose(choice)}
          >
            <small>{choice.kind}</small>
            <b>{choice.name}</b>
            <span>{choice.detail}</span>
          </button>
        ))}
      </div>
      {choices.length === 0 && <p class="none">Nothing is found.</p>}
      <p class="keys">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> go <kbd>Esc</kbd> close <kbd>?</kbd> all keys
      </p>
    </>
  );
}

/** What a text finds: of each kind the first ones. Without a text, all views. */
function choicesFor(text: string, live: FollowedWorkspace): readonly Choice[] {
  const places: readonly Choice[] = viewNames.map((view) => ({
    kind: 'View',
    name: labelOf(view),
    detail: views[view],
    target: hrefOf(view),
  }));
  if (text === '') return places;
  const whose = (entry: EntryJson) => live.journal.whose(entry);
  const entries = live.journal.entries.filter((entry) => passes({ ...everything, text }, entry, whose));
  const has = ({ name, detail }: Choice) => `${name} ${detail}`.toLowerCase().includes(text);
  const now = actionsOfPage();
  const elsewhere = actionsOfViews.filter(({ name }) => now.every((action) => action.name !== name));
  return [
    ...places.filter(has),
    ...contactsWith(text, live),
    ...journeysOf(live).filter(has).slice(0, listed),
    ...runsOf(live).filter(has).slice(0, listed),
    ...templatesOf(live).filter(has).slice(0, listed),
    ...[...now, ...elsewhere].filter(has).slice(0, listed),
    ...entries
      .slice(-listed)
      .reverse()
      .map((entry) => choiceOf(entry, live)),
  ];
}

function contactsWith(text: string, { people }: FollowedWorkspace): readonly Choice[] {
  const found = [...people.value.values()].filter((person) => isFound(person, text));
  return found.slice(0, listed).map(({ phone, name = phone }) => ({
    kind: 'Contact',
    name,
    detail: name === phone ? '' : phone,
    target: hrefOfPhone(phone),
  }));
}

function journeysOf({ journeys }: FollowedWorkspace): readonly Choice[] {
  return (journeys.value ?? []).map(({ id, event }) => ({
    kind: 'Journey',
    name: id,
    detail: `begins with ${event}`,
    target: hrefOf('journeys'),
  }));
}

function runsOf({ runs, people, now }: FollowedWorkspace): readonly Choice[] {
  return runs.value.map(({ id, journeyId, contactId, status, startedAt }) => {
    const { phone = contactId, name = phone } = people.value.get(contactId) ?? {};
    return {
      kind: 'Run',
      name: `${name}: ${journeyId}`,
      detail: `${status}, since ${timeNear(startedAt, now.peek() ?? startedAt)}`,
      target: hrefOf('journeys', { run: id }),
    };
  });
}

function templatesOf({ templates }: FollowedWorkspace): readonly Choice[] {
  return (templates.value ?? []).map(({ id, status, body }) => ({
    kind: 'Template',
    name: id,
    detail: `${status}: ${body}`,
    target: hrefOf('workspace'),
    control: `Edit ${id}`,
  }));
}

/** The controls that each view has, whatever is in the workspace. */
const controlsOfViews = {
  timeline: ['Record what happens from now on as a test'],
  phone: ['Chat', 'Properties', 'Event', 'Template'],
  workspace: [
    '+ Add a template',
    '+ Add a fault',
    'Save as seed',
    'Save a snapshot',
    'Reset',
    'Issue another key',
    "Rotate this page's key",
    'Open another workspace …',
    'Create an empty workspace',
    'All gaps',
  ],
} as const;

const actionsOfViews = Object.entries(controlsOfViews).flatMap(([place, names]) => {
  const view = viewNames.find((each) => each === place) ?? 'timeline';
  return names.map(
    (name): Choice => ({
      kind: 'Action',
      name,
      detail: `in ${labelOf(view)}`,
      target: hrefOf(view),
      control: name,
    }),
  );
});

/** How many frames a view may take until it shows a control. */
const mostFrames = 300;

/** Leads the focus to a control, once the view shows it. What it does may be more than a person expects of a search. */
function focusOn(name: string, frames = mostFrames): void {
  const control = controls().find((each) => nameOfControl(each) === name);
  if (control !== undefined) control.focus();
  else if (frames > 0) requestAnimationFrame(() => focusOn(name, frames - 1));
}

function choiceOf(entry: EntryJson, { journal, now }: FollowedWorkspace): Choice {
  const { title, outcome } = describeEntry(entry);
  const person = journal.whose(entry);
  return {
    kind: 'Entry',
    name: person === undefined ? title : `${nameOf(person)}: ${title}`,
    detail: `${outcome} · ${timeNear(entry.at, now.peek() ?? entry.at)}`,
    target: hrefOf('timeline', { entry: journal.linkTo(entry.number) }),
  };
}

/** The buttons that the page shows now. */
function actionsOfPage(): readonly Choice[] {
  const named = new Map<string, Choice>();
  for (const button of controls()) {
    const name = nameOfControl(button);
    if (button.matches('button:not(.choice)') && !named.has(name))
      named.set(name, { kind: 'Action', name, detail: '', target: button });
  }
  return [...named.values()];
}

/** The controls that the page shows now, and that have a name. */
function controls(): readonly HTMLElement[] {
  const all = document.querySelectorAll<HTMLElement>(
    'summary, button:not(:disabled, .to-palette, [role=option])',
  );
  return [...all].filter((control) => nameOfControl(control) !== '' && control.checkVisibility());
}

function nameOfControl(control: HTMLElement): string {
  return (control.title || (control.ariaLabel ?? control.innerText)).trim();
}
