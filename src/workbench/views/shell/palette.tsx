import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hrefOf, views } from '../../live/route.js';
import { describeEntry } from '../../reading/describe-entry.js';
import { everything, passes } from '../../reading/filter.js';
import { isFound } from '../../reading/people.js';
import { timeNear } from '../../reading/times.js';
import { useBench } from '../bench.js';
import './palette.css';

/** Something that a person can go to or do. */
interface Choice {
  /** Tells it apart from the others. */
  readonly id: string;
  readonly kind: 'View' | 'Contact' | 'Action' | 'Entry';
  readonly name: string;
  readonly detail: string;
  readonly run: () => void;
}

/** How many choices of a kind are listed. */
const listed = 5;

/** A button that opens a list of views, contacts, actions and entries, with a search. Ctrl-K opens it, too. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="to-palette"
        aria-keyshortcuts="Control+k /"
        onClick={() => {
          isOpen.value = true;
          dialog.current?.showModal();
        }}
      >
        Find <kbd>Ctrl K</kbd>
      </button>
      <dialog
        ref={dialog}
        class="palette"
        aria-label="Find a view, a contact, an action or an entry"
        onClose={() => {
          isOpen.value = false;
        }}
        {...{ closedby: 'any' }}
      >
        {isOpen.value && <Choices onChosen={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Choices({ onChosen }: { readonly onChosen: () => void }) {
  const choicesFor = useChoices();
  const text = useSignal('');
  const at = useSignal(0);
  const choices = choicesFor(text.value.trim().toLowerCase());
  const current = Math.min(at.value, choices.length - 1);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => list.current?.children[current]?.scrollIntoView({ block: 'nearest' }));
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onChosen();
    choice.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') choose(choices[current]);
    else if (step === undefined) return;
    else at.value = (current + step + choices.length) % choices.length;
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
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={press}
      />
      <div ref={list} id="choices" role="listbox" aria-label="Found">
        {choices.map((choice, index) => (
          <button
            key={choice.id}
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
function useChoices(): (text: string) => readonly Choice[] {
  const { live, route } = useBench();
  const goTo = (href: string) => () => {
    window.location.hash = href;
  };
  const places: readonly Choice[] = views.map((view) => ({
    id: view,
    kind: 'View',
    name: view[0]?.toUpperCase() + view.slice(1),
    detail: contents[view],
    run: goTo(hrefOf(view)),
  }));
  const contactsWith = (text: string): readonly Choice[] =>
    [...live.people.value.values()]
      .filter((person) => isFound(person, text))
      .slice(0, listed)
      .map(({ phone, name }) => ({
        id: phone,
        kind: 'Contact',
        name: name ?? phone,
        detail: name === undefined ? '' : phone,
        run: () => show(phone),
      }));
  /** Shows a contact on the phone, which is a view of its own where the screen is narrow. */
  const show = (phone: string) => {
    const { view, parameters } = route.peek();
    const isBeside = document.querySelector('.beside')?.checkVisibility();
    window.location.hash = isBeside ? hrefOf(view, { ...parameters, phone }) : hrefOf('phone', { phone });
  };
  const entriesWith = (text: string): readonly Choice[] => {
    const found: Choice[] = [];
    const { entries } = live.journal;
    for (let index = entries.length - 1; index >= 0 && found.length < listed; index -= 1) {
      const entry = entries[index];
      if (entry === undefined || !passes({ ...everything, text }, entry)) continue;
      const { title, outcome } = describeEntry(entry);
      const detail = `${outcome} · ${timeNear(entry.at, live.now.peek() ?? entry.at)}`;
      found.push({
        id: `entry ${entry.number}`,
        kind: 'Entry',
        name: title,
        detail,
        run: goTo(hrefOf('timeline', { entry: live.journal.linkTo(entry.number) })),
      });
    }
    return found;
  };
  return (text) => {
    const has = ({ name, detail }: Choice) => `${name} ${detail}`.toLowerCase().includes(text);
    if (text === '') return places;
    return [
      ...places.filter(has),
      ...contactsWith(text),
      ...actionsOfPage().filter(has).slice(0, listed),
      ...entriesWith(text),
    ];
  };
}

const contents = {
  timeline: 'all that happened',
  phone: 'the chat and the data of a contact',
  deliveries: 'webhooks, their receivers and attempts',
  journeys: 'their steps, and who waits where',
  workspace: 'templates, faults, quota, keys, segments, snapshots',
} as const;

/** The buttons that the page shows now. */
function actionsOfPage(): readonly Choice[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    'button:not(:disabled, .choice, .to-palette, [role=option])',
  );
  const named = new Map<string, Choice>();
  for (const button of buttons) {
    const name = (button.title || (button.ariaLabel ?? button.innerText)).trim();
    if (name !== '' && button.checkVisibility() && !named.has(name))
      named.set(name, { id: `press ${name}`, kind: 'Action', name, detail: '', run: () => button.click() });
  }
  return [...named.values()];
}
