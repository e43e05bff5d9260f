import { useSignalEffect } from '@preact/signals';
import { Action } from '../../elements/action.js';
import { Foreign } from '../../elements/foreign.js';
import { hrefOf } from '../../live/route.js';
import { counted, countOf } from '../../reading/counted.js';
import { seen, shortened } from '../../reading/foreign-text.js';
import { aheadOf, dateAndTime, fromNow } from '../../reading/times.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { Keys, Palette } from './palette.js';
import './clock.css';

/** The bar above every view: the workspace, its clock, and what can be found. Each control has its place, whatever the others show. */
export function Bar() {
  const live = useLive();
  const id = live.id.value;
  // The title of the browser's tab: what fails, and the workspace.
  useSignalEffect(() => {
    const { length: failing } = live.failing.value;
    const id = live.id.value;
    const parts = [failing > 0 && `${failing} failing`, id !== undefined && seen(id, 60), 'Workbench'];
    document.title = parts.filter((part) => part !== false).join(' · ');
  });
  return (
    <header class="bar">
      <h1 class="unseen">Workbench</h1>
      <Connection />
      <a class="workspace-name" href={hrefOf('workspace')} title={id === undefined ? undefined : seen(id)}>
        <Foreign text={id === undefined ? '…' : shortened(id)} />
      </a>
      <Palette />
      <Keys />
      <span class="grow" />
      <Quota />
      <Clock />
    </header>
  );
}

/** Whether the page is up to date. */
function Connection() {
  const live = useLive();
  const state = live.connection.value;
  const behind = state.kind === 'live' ? state.behind : 0;
  return (
    <span class={`connection ${behind > 0 ? 'behind' : state.kind}`} role="status">
      {behind > 0 && `${counted(behind)} behind`}
      {state.kind === 'live' && behind === 0 && 'live'}
      {state.kind === 'connecting' && 'connecting …'}
      {state.kind === 'lost' && 'reconnecting …'}
    </span>
  );
}

/** The remaining conversations, and the way to change them. */
function Quota() {
  const { value } = useLive().quota;
  const left = value === undefined ? undefined : value.quota + value.addOnCredits;
  return (
    <a class={`quota${left === 0 ? ' used-up' : ''}`} href={hrefOf('workspace')}>
      {left === undefined ? '…' : `${countOf(left, 'send')} left`}
    </a>
  );
}

const steps = [
  ['1m', 'one minute'],
  ['1h', 'one hour'],
  ['1d', 'one day'],
] as const;

/** The workspace's clock: what time it is, and the ways to move it. It takes its room before the time is known. */
function Clock() {
  const live = useLive();
  const { surface } = live;
  const { flow, next } = live.clock.value ?? { flow: 'unknown' };
  const now = live.now.value ?? 0;
  const isFrozen = flow === 'frozen';
  const [date, time] = dateAndTime(now).split(' ');
  const ahead = aheadOf(now, Date.now());
  return (
    <div class={`clock ${flow}`} role="group" aria-label="Clock of the workspace">
      <Action
        look="quiet"
        class="quiet flow"
        aria-label={isFrozen ? 'The clock is frozen. Let it flow.' : 'The clock is flowing. Freeze it.'}
        onRun={() => live.moveClock(surface.control(isFrozen ? control.clock.flow : control.clock.freeze))}
      >
        {isFrozen ? '❄' : '●'} <span class="wide">{flow}</span>
      </Action>
      <span class="moment">
        <time dateTime={new Date(now).toISOString()} title="By the clock of the workspace">
          <span class="wide">{date} </span>
          {time}
        </time>
        <small title={ahead && 'of the clock of this machine'}>
          UTC{ahead !== undefined && <span class="ahead"> · {ahead}</span>}
        </small>
      </span>
      {steps.map(([by, words]) => (
        <Action
          key={by}
          aria-label={`+${by}: advance the clock by ${words}`}
          onRun={() => live.moveClock(surface.control(control.clock.advance, { body: { by } }))}
        >
          +{by}
        </Action>
      ))}
      <Action
        class={`next${next === undefined ? '' : ' primary'}`}
        disabled={next === undefined}
        onRun={() => live.moveClock(surface.control(control.clock.advanceToNext))}
      >
        {next === undefined ? (
          'nothing due'
        ) : (
          <>
            <span class="wide">to </span>next: {fromNow(next, now)}
          </>
        )}
      </Action>
    </div>
  );
}
