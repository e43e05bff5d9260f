import { useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Action } from '../../elements/action.js';
import { copy } from '../../elements/copy.js';
import { Foreign } from '../../elements/foreign.js';
import { hrefOf } from '../../live/route.js';
import { counted, countOf } from '../../reading/counted.js';
import { faultInWords, isSpent } from '../../reading/faults.js';
import { seen } from '../../reading/foreign-text.js';
import { aheadOf, dateAndTime, fromNow } from '../../reading/times.js';
import { opening } from '../../surface/key.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { Palette } from './palette.js';
import './clock.css';
import './strip.css';

/** The bar above every view: the workspace, its clock, and what is not normal in it. */
export function Bar() {
  const live = useLive();
  // The title of the browser's tab: what fails, and the workspace.
  useSignalEffect(() => {
    const { length: failing } = live.failing.value;
    const id = live.id.value;
    const parts = [failing > 0 && `${failing} failing`, id !== undefined && seen(id, 60), 'Workbench'];
    document.title = parts.filter((part) => part !== false).join(' · ');
  });
  const leave = () => {
    opening.value = {};
  };
  return (
    <header class="bar">
      <h1>Workbench</h1>
      <Connection />
      <button type="button" class="quiet workspace-name" onClick={leave} title="Open another workspace">
        <Foreign text={live.id.value ?? '…'} most={200} />
      </button>
      <Palette />
      <span class="grow" />
      <Quota />
      <Clock />
      <Strip />
    </header>
  );
}

/** Whether the page is up to date. A lost connection is said aloud. */
function Connection() {
  const live = useLive();
  const state = live.connection.value;
  const gone = live.journal.gone.value;
  const behind = state.kind === 'live' ? state.behind : 0;
  return (
    <span class={`connection ${behind > 0 ? 'behind' : state.kind}`} role="status">
      {behind > 0 && `${counted(behind)} behind`}
      {state.kind === 'live' && behind === 0 && 'live'}
      {state.kind === 'connecting' && 'connecting …'}
      {state.kind === 'lost' && 'Connection lost. The page may be outdated. Reconnecting …'}
      {gone > 0 && (
        <small title="The journal only keeps the newest entries.">
          {' '}
          · {counted(gone)} older entries were dropped
        </small>
      )}
    </span>
  );
}

/** The remaining conversations, and the way to change them. */
function Quota() {
  const { value } = useLive().quota;
  if (value === undefined) return null;
  const left = value.quota + value.addOnCredits;
  return (
    <a class={`quota${left === 0 ? ' used-up' : ''}`} href={hrefOf('workspace')}>
      {countOf(left, 'send')} left
    </a>
  );
}

const steps = [
  ['1m', 'one minute'],
  ['1h', 'one hour'],
  ['1d', 'one day'],
] as const;

/** The workspace's clock: what time it is, and the ways to move it. */
function Clock() {
  const live = useLive();
  const { surface } = live;
  const { value: clock } = live.clock;
  const now = live.now.value;
  if (clock === undefined || now === undefined) return null;
  const isFrozen = clock.flow === 'frozen';
  const ahead = aheadOf(now, Date.now());
  const [date, time] = dateAndTime(now).split(' ');
  return (
    <div class={`clock ${clock.flow}`} role="group" aria-label="Clock of the workspace">
      <Action
        look="quiet"
        aria-label={isFrozen ? 'The clock is frozen. Let it flow.' : 'The clock is flowing. Freeze it.'}
        onRun={() => live.moveClock(surface.control(isFrozen ? control.clock.flow : control.clock.freeze))}
      >
        {isFrozen ? '❄' : '●'} <span class="wide">{clock.flow}</span>
      </Action>
      <time dateTime={new Date(now).toISOString()} title="UTC, by the clock of the workspace">
        <span class="wide">{date} </span>
        {time}
      </time>
      {ahead !== undefined && (
        <small class="ahead" title="of the clock of this machine">
          {ahead}
        </small>
      )}
      {steps.map(([by, words]) => (
        <Action
          key={by}
          aria-label={`+${by}: advance the clock by ${words}`}
          onRun={() => live.moveClock(surface.control(control.clock.advance, { body: { by } }))}
        >
          +{by}
        </Action>
      ))}
      {clock.next !== undefined && (
        <Action look="primary" onRun={() => live.moveClock(surface.control(control.clock.advanceToNext))}>
          <span class="wide">to </span>next: {fromNow(clock.next, now)}
        </Action>
      )}
    </div>
  );
}

/** What is not normal in the workspace. Nothing shows when all is normal. */
function Strip() {
  const live = useLive();
  const { surface } = live;
  const { value: quota } = live.quota;
  const templates = live.templates.value?.filter(({ status }) => status !== 'approved') ?? [];
  return (
    <ul class="bare strip" aria-label="What is not normal">
      {live.recording.value !== undefined && <Recording since={live.recording.value} />}
      {live.clock.value?.flow === 'frozen' && (
        <Item name="Let the clock flow" onEnd={() => live.moveClock(surface.control(control.clock.flow))}>
          the clock is frozen
        </Item>
      )}
      {live.faults.value
        ?.filter((fault) => !isSpent(fault))
        .map(({ id, rule }) => (
          <Item
            key={id}
            name={`End the fault: ${faultInWords(rule)}`}
            onEnd={() => surface.control(control.faults.remove, { path: { id } })}
          >
            fault: {faultInWords(rule)}
          </Item>
        ))}
      {quota !== undefined && quota.quota + quota.addOnCredits === 0 && (
        <Item
          name="Restore 100 sends"
          onEnd={() => surface.control(control.quota.set, { body: { quota: 100 } })}
        >
          no sends left
        </Item>
      )}
      {templates.map(({ id, status }) => (
        <Item
          key={id}
          name={`Approve ${id}`}
          onEnd={() =>
            surface.control(control.templates.update, { path: { id }, body: { status: 'approved' } })
          }
        >
          template <Foreign text={id} most={60} /> is {status}
        </Item>
      ))}
    </ul>
  );
}

/** A recording, which ends with a test of what happened since it began. */
function Recording({ since }: { readonly since: number }) {
  const live = useLive();
  const count = live.journal.entries.filter(({ number }) => number > since).length;
  const stop = async () => {
    if (count > 0)
      await copy((await live.surface.control(control.journal.testSince, { query: { since } })).test);
    live.recording.value = undefined;
  };
  return (
    <li class="tag bad">
      <span>● recording, {countOf(count, 'entry', 'entries')}</span>
      <Action look="quiet" onRun={stop} done={count > 0 ? 'The test is copied.' : undefined}>
        {count > 0 ? 'Stop and copy the test' : 'Stop'}
      </Action>
    </li>
  );
}

interface ItemProperties {
  readonly name: string;
  /** Makes it normal again. */
  readonly onEnd: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

function Item({ name, onEnd, children }: ItemProperties) {
  return (
    <li class="tag wait">
      <span>{children}</span>
      <Action look="quiet" aria-label={name} onRun={onEnd}>
        ×
      </Action>
    </li>
  );
}
