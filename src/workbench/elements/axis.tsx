import type { AxisPoint } from '../reading/attempts.js';
import { dateAndTime, timeNear } from '../reading/times.js';
import './axis.css';

/** Attempts on a time axis. */
export function Axis({ points }: { readonly points: readonly AxisPoint[] }) {
  return (
    <ol class="axis">
      {points.map(({ position, at, label, outcome, tone }, index) => (
        <li key={label} class={tone} style={{ left: `${position * 100}%` }}>
          <i aria-hidden="true" />
          <b>{label}</b>
          <time dateTime={new Date(at).toISOString()} title={dateAndTime(at)}>
            {timeNear(at, points[index - 1]?.at ?? at)}
          </time>
          <span class={tone}>{outcome}</span>
        </li>
      ))}
    </ol>
  );
}
