import type { DeliveryExplanation } from '../../../server/index.js';

interface ExplanationProperties {
  readonly explained: DeliveryExplanation | undefined;
  readonly problem: string | undefined;
}

const certainties = { certain: '', likely: 'Likely: ', possible: 'Possible: ' } as const;

/** Why a delivery was not acknowledged, the most likely cause first, and what to do about it. */
export function Explanation({ explained, problem }: ExplanationProperties) {
  const causes = explained?.causes ?? [];
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
    </div>
  );
}
