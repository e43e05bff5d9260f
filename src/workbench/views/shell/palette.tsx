import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { hrefOf, hrefOfPhone, labelOf, viewNames, views } from '../../live/route.js';
import type { LiveWorkspace } from '../../live/workspace.js';
import { describeEntry } from '../../reading/describe-entry.js';
import { everything, passes } from '../../reading/filter.js';
import { isFound, nameOf } from '../../reading/people.js';
import { timeNear } from '../../reading/times.js';
import type { Entry } from '../../surface/entry.js';
import { useLive } from '../use-live.js';
import './palette.css';

/** Something that a person can go to or do. */
interface Choice {
  readonly kind: 'View' | 'Contact' | 'Action' | 'Entry';
  readonly name: string;
  readonly detail: string;
  /** Where to go, or the button to press. */
  readonly target: string | HTMLButtonElement;
}

/** How many choices of a kind are listed. */
const listed = 5;

/** A button that opens a list of views, contacts, actions and entries, with a search. Ctrl-K opens it, too. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="to-palette"
        aria-keyshortcuts="Control+k /"
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        Find <kbd>Ctrl K</kbd>
      </button>
      <dialog
        ref={dialog}
        class="palette"
        aria-label="Find a view, a contact, an action or an entry"
        onClose={() => setOpen(false)}
        {...{ closedby: 'any' }}
      >
        {isOpen && <Choices onChosen={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Choices({ onChosen }: { readonly onChosen: () => void }) {
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
    const { target } = choice;
    if (typeof target === 'string') location.assign(target);
    else target.click();
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
        placeholder="A view, a contact, an action, or text in an entry …"
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
            key={typeof choice.target === 'string' ? choice.target : choice.name}
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
        <kbd>/</kbd> find <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>Esc</kbd> close <kbd>r</kbd> redeliver{' '}
        <kbd>c</kbd> write
      </p>
    </>
  );
}

/** What a text finds: of each kind the first ones. Without a text, all views. */
function choicesFor(text: string, live: LiveWorkspace): readonly Choice[] {
  const places: readonly Choice[] = viewNames.map((view) => ({
    kind: 'View',
    name: labelOf(view),
    detail: views[view],
    target: hrefOf(view),
  }));
  if (text === '') return places;
  const contacts = [...live.people.value.values()].filter((person) => isFound(person, text));
  const whose = (entry: Entry) => live.journal.whose(entry);
  const entries = live.journal.entries.filter((entry) => passes({ ...everything, text }, entry, whose));
  const has = ({ name, detail }: Choice) => `${name} ${detail}`.toLowerCase().includes(text);
  return [
    ...places.filter(has),
    ...contacts.slice(0, listed).map(
      ({ phone, name = phone }): Choice => ({
        kind: 'Contact',
        name,
        detail: name === phone ? '' : phone,
        target: hrefOfPhone(phone),
      }),
    ),
    ...actionsOfPage().filter(has).slice(0, listed),
    ...entries
      .slice(-listed)
      .reverse()
      .map((entry) => choiceOf(entry, live)),
  ];
}

function choiceOf(entry: Entry, { journal, now }: LiveWorkspace): Choice {
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
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    'button:not(:disabled, .choice, .to-palette, [role=option])',
  );
  const named = new Map<string, Choice>();
  for (const button of buttons) {
    const name = (button.title || (button.ariaLabel ?? button.innerText)).trim();
    if (name !== '' && button.checkVisibility() && !named.has(name))
      named.set(name, { kind: 'Action', name, detail: '', target: button });
  }
  return [...named.values()];
}
