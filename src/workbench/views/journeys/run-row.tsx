import type { ComponentChildren } from 'preact';
import type { JourneySeed } from '../../../server/seed/journey-seed.js';
import { Action } from '../../elements/action.js';
import { Foreign } from '../../elements/foreign.js';
import { Initial } from '../../elements/initial.js';
import { Tag } from '../../elements/row.js';
import { hrefOf } from '../../live/route.js';
import { dueInWords } from '../../reading/due.js';
import { nextInWords } from '../../reading/journey-path.js';
import type { Person } from '../../reading/people.js';
import { dateAndTime, fromNow, timeNear } from '../../reading/times.js';
import type { JourneyRun } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

const tones = { waiting: 'wait', finished: 'ok', failed: 'bad' } as const;

interface RunRowProperties {
  readonly run: JourneyRun;
  readonly journey: JourneySeed;
  readonly person: Person | undefined;
  readonly isSelected: boolean;
}

/** A run: whose it is, where it stands, and what comes next. */
export function RunRow({ run, journey, person, isSelected }: RunRowProperties) {
  const { live } = useBench();
  const { id, contactId, status, dueAt, startedAt, error, position } = run;
  const who = person?.phone ?? contactId;
  const now = live.now.value ?? dueAt;
  return (
    <li class={`run${isSelected ? ' selected' : ''}`}>
      <header>
        {person !== undefined && <Initial {...person} />}
        <PhoneLink contact={who}>
          <Foreign text={person?.name ?? who} most={200} />
        </PhoneLink>
        <Tag tone={tones[status]} text={status} />
        <span class="grow" />
        <a class="dim" href={hrefOf('journeys', isSelected ? {} : { run: id })}>
          {isSelected ? 'all runs' : 'on the path'}
        </a>
        <a class="dim" href={hrefOf('timeline', { contact: who })}>
          timeline
        </a>
      </header>
      <p>
        <small title={dateAndTime(startedAt)}>began {timeNear(startedAt, now)}</small>
        {status === 'waiting' && (
          <>
            {' '}
            · next: {nextInWords(journey, position)} <b title={dateAndTime(dueAt)}>{fromNow(dueAt, now)}</b>
          </>
        )}
        {status === 'finished' && <small> · ended {timeNear(dueAt, now)}</small>}
      </p>
      {error !== undefined && <p class="problem">{error}</p>}
      {status === 'waiting' && (
        <Action
          onRun={async () => {
            await live.surface.control(control.clock.set, { body: { to: dueAt } });
            await live.clock.refresh();
          }}
        >
          Advance all to {timeNear(dueAt, now)} (
          {dueInWords(dueAt, live.runs.value, live.pending.value ?? [])})
        </Action>
      )}
    </li>
  );
}

interface PhoneLinkProperties {
  /** The phone or the id of the contact. */
  readonly contact: string;
  readonly children: ComponentChildren;
}

/** Shows a contact on the phone: next to the view if the screen is wide enough, otherwise as the view. */
function PhoneLink({ contact, children }: PhoneLinkProperties) {
  const { route } = useBench();
  const { view, parameters } = route.value;
  const href = hrefOf('phone', { phone: contact });
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || !matchMedia('(min-width: 1021px)').matches) return;
        event.preventDefault();
        location.hash = hrefOf(view, { ...parameters, phone: contact });
      }}
    >
      {children}
    </a>
  );
}
