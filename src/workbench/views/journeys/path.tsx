import { branchTaken, type PathStep, type TakenStep } from '../../reading/journey-path.js';
import { dateAndTime, dayOf, fromNow, timeNear, timeOfDay } from '../../reading/times.js';
import type { JourneyRunRecord } from '../../surface/entry.js';
import { useLive } from '../use-live.js';

interface PathProperties {
  readonly steps: readonly PathStep[];
  /** The runs to show on the path. */
  readonly runs: readonly JourneyRunRecord[];
  /** The steps that the only run took, by their positions. */
  readonly past: ReadonlyMap<number, TakenStep>;
}

/** The steps of a journey, with who is to take each one next. */
export function Path({ steps, ...path }: PathProperties) {
  const live = useLive();
  const { runs, past } = path;
  return (
    <ol class="bare path">
      {steps.map(({ kind, position, text, variables = [], holds = [], otherwise = [] }) => {
        const here = runs.filter((run) => run.position === position);
        const taken = past.get(position);
        const branch = branchTaken({ position, holds, otherwise }, past);
        return (
          <li key={position} class={kind} {...(here.length > 0 && { 'aria-current': 'step' as const })}>
            <span class="step">{text}</span>
            {taken !== undefined && (
              <time class="taken" dateTime={new Date(taken.at).toISOString()} title={dateAndTime(taken.at)}>
                {dayOf(taken.at, live.now.value ?? taken.at)} {timeOfDay(taken.at)}
              </time>
            )}
            {here.length > 0 && <Here runs={here} />}
            {variables.length > 0 && <small>{variables.join(', ')}</small>}
            {kind === 'branch' && (
              <div class="branches">
                <Branch name="yes" taken={branch} steps={holds} {...path} />
                <Branch name="no" taken={branch} steps={otherwise} {...path} />
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface BranchProperties extends PathProperties {
  readonly name: 'yes' | 'no';
  readonly taken: 'yes' | 'no' | undefined;
}

function Branch({ name, taken, ...path }: BranchProperties) {
  const isLeftOut = taken !== undefined && taken !== name;
  return (
    <div class={isLeftOut ? 'left-out' : ''}>
      <small>
        {name}
        {isLeftOut && ' · not taken'}
      </small>
      {path.steps.length === 0 ? <small class="on">go on</small> : <Path {...path} />}
    </div>
  );
}

/** Who takes this step next, and when the first of them does. */
function Here({ runs }: Pick<PathProperties, 'runs'>) {
  const live = useLive();
  const [first] = runs;
  if (first === undefined) return null;
  if (first.status !== 'waiting')
    return <span class={`tag ${first.status === 'failed' ? 'bad' : 'ok'}`}>{first.status} here</span>;
  const dueAt = Math.min(...runs.map((run) => run.dueAt));
  const { name, phone = first.contactId } = live.people.value.get(first.contactId) ?? {};
  const who = runs.length === 1 ? (name ?? phone) : `${runs.length} runs, the first`;
  const now = live.now.value ?? dueAt;
  return (
    <span class="tag wait">
      {who} {fromNow(dueAt, now)} · {timeNear(dueAt, now)}
    </span>
  );
}
