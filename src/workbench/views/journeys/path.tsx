import type { PathStep } from '../../reading/journey-path.js';
import type { Person } from '../../reading/people.js';
import { fromNow } from '../../reading/times.js';
import type { JourneyRun } from '../../surface/entry.js';
import { useBench } from '../bench.js';

interface PathProperties {
  readonly steps: readonly PathStep[];
  /** The runs to show on the path. */
  readonly runs: readonly JourneyRun[];
  readonly people: ReadonlyMap<string, Person>;
}

/** The steps of a journey, with who is to take each one next. */
export function Path({ steps, runs, people }: PathProperties) {
  return (
    <ol class="bare path">
      {steps.map((step) => {
        const here = runs.filter(({ position }) => position === step.position);
        return (
          <li
            key={step.position}
            class={step.kind}
            {...(here.length > 0 && { 'aria-current': 'step' as const })}
          >
            <span class="step">{step.text}</span>
            {here.length > 0 && <Here runs={here} people={people} />}
            {step.kind === 'send' && step.variables.length > 0 && <small>{step.variables.join(', ')}</small>}
            {step.kind === 'branch' && (
              <div class="branches">
                <Branch name="yes" steps={step.holds} runs={runs} people={people} />
                <Branch name="no" steps={step.otherwise} runs={runs} people={people} />
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Branch({ name, ...path }: PathProperties & { readonly name: string }) {
  return (
    <div>
      <small>{name}</small>
      {path.steps.length === 0 ? <small class="on">go on</small> : <Path {...path} />}
    </div>
  );
}

/** Who takes this step next, and when the first of them does. */
function Here({ runs, people }: Omit<PathProperties, 'steps'>) {
  const { live } = useBench();
  const [first] = runs;
  if (first === undefined) return null;
  if (first.status !== 'waiting')
    return <span class={`tag ${first.status === 'failed' ? 'bad' : 'ok'}`}>{first.status} here</span>;
  const dueAt = Math.min(...runs.map((run) => run.dueAt));
  const { name, phone = first.contactId } = people.get(first.contactId) ?? {};
  const who = runs.length === 1 ? (name ?? phone) : `${runs.length} runs`;
  return (
    <span class="tag wait">
      {who} {fromNow(dueAt, live.now.value ?? dueAt)}
    </span>
  );
}
