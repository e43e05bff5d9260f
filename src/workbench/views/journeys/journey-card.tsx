import { useState } from 'preact/hooks';
import type { JourneySeed } from '../../../server/seed/journey-seed.js';
import { Action } from '../../elements/action.js';
import { Foreign, Initial } from '../../elements/foreign.js';
import { Field, Form, type Given } from '../../elements/form.js';
import { Tag } from '../../elements/row.js';
import { hrefOf, hrefOfPhone, route } from '../../live/route.js';
import { counted, countOf } from '../../reading/counted.js';
import { nextInWords, pathOf } from '../../reading/journey-path.js';
import { eventPropertiesIn, stepsTaken } from '../../reading/journey-runs.js';
import { dateAndTime, fromNow, timeNear } from '../../reading/times.js';
import type { JourneyRunRecord } from '../../surface/entry.js';
import { control, operations } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { JourneyForm, RemoveJourney } from './journey-form.js';
import { Path } from './path.js';

interface JourneyProperties {
  readonly journey: JourneySeed;
}

/** How many runs show at first, and how many more each time. */
const pageOfRuns = 20;

/** A journey: its path on one side, its runs on the other. */
export function JourneyCard({ journey }: JourneyProperties) {
  const live = useLive();
  const [shown, setShown] = useState(pageOfRuns);
  const { id, event } = journey;
  const runs = live.runs.value.filter(({ journeyId }) => journeyId === id);
  const waiting = runs.filter(({ status }) => status === 'waiting');
  const failed = runs.filter(({ status }) => status === 'failed').length;
  const selected = runs.find((run) => run.id === route.value.parameters.run);
  const past = stepsTaken(selected?.id ?? '', live.journal.entries);
  return (
    <section class="card journey" aria-label={`Journey ${id}`}>
      <header>
        <h2>{id}</h2>
        <small>
          {waiting.length} waiting, {runs.length - waiting.length - failed} finished, {failed} failed
        </small>
      </header>
      <div class="journey-parts">
        <div>
          <p class="starts">
            starts with the event <code>{event}</code>
          </p>
          <Path steps={pathOf(journey)} runs={selected ? [selected] : waiting} past={past} />
          {selected !== undefined && selected.position > 0 && !past.has(0) && (
            <small>The journal no longer has the first steps of this run.</small>
          )}
        </div>
        <div class="runs">
          {runs.length === 0 && <p class="none">No run yet. The event starts one.</p>}
          <ol class="bare" aria-label={`Runs of ${id}, newest first`}>
            {runs.slice(0, shown).map((run) => (
              <RunRow key={run.id} run={run} journey={journey} isSelected={run === selected} />
            ))}
          </ol>
          {runs.length > shown && (
            <button type="button" onClick={() => setShown(shown + pageOfRuns)}>
              Show more of {counted(runs.length)} runs
            </button>
          )}
          <details class="more" open={runs.length === 0}>
            <summary>Start for a contact</summary>
            <StartJourney journey={journey} />
          </details>
          <details class="more">
            <summary>Change or remove</summary>
            {/* The form begins with the journey as it is. */}
            <JourneyForm key={JSON.stringify(journey)} journey={journey} />
            <p>
              <RemoveJourney id={id} />
            </p>
          </details>
        </div>
      </div>
    </section>
  );
}

const tones = { waiting: 'wait', finished: 'ok', failed: 'bad' } as const;

interface RunRowProperties extends JourneyProperties {
  readonly run: JourneyRunRecord;
  readonly isSelected: boolean;
}

/** A run: whose it is, where it stands, and what comes next. */
function RunRow({ run, journey, isSelected }: RunRowProperties) {
  const live = useLive();
  const { id, contactId, status, dueAt, startedAt, error, position } = run;
  const person = live.people.value.get(contactId);
  const who = person?.phone ?? contactId;
  const now = live.now.value ?? dueAt;
  return (
    <li class={`run${isSelected ? ' selected' : ''}`}>
      <header>
        {person !== undefined && <Initial {...person} />}
        <a href={hrefOfPhone(who)}>
          <Foreign text={person?.name ?? who} most={200} />
        </a>
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
        {status === 'finished' && <small> · ended {timeNear(dueAt, startedAt)}</small>}
      </p>
      {error !== undefined && <p class="problem">{error}</p>}
      {status === 'waiting' && <AdvanceAll to={dueAt} now={now} />}
    </li>
  );
}

/** Moves the clock of the workspace, and says what else becomes due by then: `32 runs, 1 retry`. */
function AdvanceAll({ to, now }: { readonly to: number; readonly now: number }) {
  const live = useLive();
  const runs = live.runs.value.filter(({ status, dueAt }) => status === 'waiting' && dueAt <= to).length;
  const retries = live.pending.value?.filter(({ dueAt = to }) => dueAt <= to).length ?? 0;
  return (
    <Action onRun={() => live.moveClock(live.surface.control(control.clock.set, { body: { to } }))}>
      Advance all to {timeNear(to, now)} ({countOf(runs, 'run')}
      {retries > 0 && `, ${countOf(retries, 'retry', 'retries')}`})
    </Action>
  );
}

/** The most contacts to choose from. */
const mostListed = 60;

/** Starts a journey by hand: tracks its event for a contact. */
function StartJourney({ journey: { id, event, steps } }: JourneyProperties) {
  const live = useLive();
  const people = [...live.people.value.values()];
  const names = eventPropertiesIn(steps);
  const start = (given: Given) => {
    const properties = Object.fromEntries(names.map((name) => [name, given(`properties.${name}`)]));
    return live.surface.api(operations.events.track, {
      body: { event, phone: given('phone').trim(), properties },
    });
  };
  return (
    <Form label={`Start ${id}`} submit={`Track ${event}`} keeps onSubmit={start}>
      <div class="fields">
        <Field label="Contact" name="phone" list={`people-${id}`} value={people[0]?.phone} required />
        {names.map((name) => (
          <Field key={name} label={name} name={`properties.${name}`} required />
        ))}
      </div>
      <datalist id={`people-${id}`}>
        {people.slice(0, mostListed).map(({ phone, name }) => (
          <option key={phone} value={phone}>
            {name}
          </option>
        ))}
      </datalist>
    </Form>
  );
}
