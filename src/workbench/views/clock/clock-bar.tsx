import { Action } from '../../elements/action.js';
import { aheadOf, dateAndTime, fromNow } from '../../reading/times.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import './clock-bar.css';

const steps = ['1m', '1h', '1d'] as const;
const stepNames = { '1m': 'one minute', '1h': 'one hour', '1d': 'one day' } as const;

/** The workspace's clock: what time it is, and the ways to move it. */
export function ClockBar() {
  const { live } = useBench();
  const { value: clock } = live.clock;
  const now = live.now.value;
  if (clock === undefined || now === undefined) return null;
  const isFrozen = clock.flow === 'frozen';
  const moved = (move: () => Promise<unknown>) => async () => {
    await move();
    await live.clock.refresh();
  };
  const { surface } = live;
  const ahead = aheadOf(now, Date.now());
  const [date, time] = dateAndTime(now).split(' ');
  return (
    <div class={`clock ${clock.flow}`} role="group" aria-label="Clock of the workspace">
      <Action
        look="quiet"
        label={isFrozen ? 'The clock is frozen. Let it flow.' : 'The clock is flowing. Freeze it.'}
        onRun={moved(() => surface.control(isFrozen ? control.clock.flow : control.clock.freeze))}
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
      {steps.map((by) => (
        <Action
          key={by}
          label={`+${by}: advance the clock by ${stepNames[by]}`}
          onRun={moved(() => surface.control(control.clock.advance, { body: { by } }))}
        >
          +{by}
        </Action>
      ))}
      {clock.next !== undefined && (
        <Action look="primary" onRun={moved(() => surface.control(control.clock.advanceToNext))}>
          <span class="wide">to </span>next: {fromNow(clock.next, now)}
        </Action>
      )}
    </div>
  );
}
