import { useMemo, useState } from 'preact/hooks';
import type { DeliveryExplanation, Remedy } from '../../../server/index.js';
import { Action } from '../../elements/action.js';
import type { Resource } from '../../live/resource.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

/** What the server says about the bytes and the failures of a delivery. */
export function useExplanation(id: string) {
  const live = useLive();
  return useMemo(
    () => live.shows(() => live.surface.control(control.deliveries.explain, { path: { id } })),
    [live, id],
  );
}

const certainties = { certain: '', likely: 'Likely: ', possible: 'Possible: ' } as const;

/** Why a delivery was not acknowledged, the most likely cause first, and what to do about it. */
export function Explanation({ of: { value, problem } }: { readonly of: Resource<DeliveryExplanation> }) {
  const { causes = [], remedy } = value ?? {};
  if (problem !== undefined) return <p class="why">The explanation could not be loaded: {problem}</p>;
  if (causes.length === 0) return null;
  return (
    <div class="why" role="group" aria-label="Why the delivery failed">
      {causes.map(({ cause, certainty, explanation, advice }) => (
        <div key={cause} class="cause" data-cause={cause}>
          <strong>
            {certainties[certainty]}
            {explanation}
          </strong>
          <p>{advice}</p>
        </div>
      ))}
      <RemedyAction remedy={remedy} />
    </div>
  );
}

/**
 * The button that removes the reason of a failure and tries again. Its words say all that it does. A remedy runs once: the second click of
 * a double click may come before the page has read what the first one did.
 */
export function RemedyAction({ remedy }: { readonly remedy: Remedy | undefined }) {
  const { surface } = useLive();
  const [done, setDone] = useState<Remedy>();
  if (remedy === undefined) return null;
  const run = async () => {
    await surface.inOrder(remedy.requests);
    setDone(remedy);
  };
  return (
    <Action look="primary" disabled={remedy === done} onRun={run}>
      {remedy.label}
    </Action>
  );
}
