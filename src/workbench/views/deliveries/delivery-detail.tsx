import { useMemo } from 'preact/hooks';
import type { WebhookEventType } from '../../../contract/webhook-event-type.js';
import type { DeliveryExplanation } from '../../../server/index.js';
import { Action, attempt } from '../../elements/action.js';
import { announce } from '../../elements/notices.js';
import { deliveryFaults } from '../../reading/faults.js';
import type { Delivery } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import { RemedyAction } from '../remedy-action.js';
import { Attempts } from './attempts.js';
import { CheckReceiver } from './check-receiver.js';
import { SentBytes } from './sent-bytes.js';

/** A delivery: why it failed, its attempts, the exact bytes, and what a person can do. */
export function DeliveryDetail({ delivery: known }: { readonly delivery: Delivery }) {
  const { live } = useBench();
  // The journal has the delivery as it was after an attempt. It shows here as it is now.
  void live.journal.revision.value;
  const delivery = live.journal.delivery(known.id) ?? known;
  const explanation = useMemo(
    () => live.shows(() => live.surface.control(control.deliveries.explain, { path: { id: known.id } })),
    [live, known.id],
  );
  const isOpen = delivery.status !== 'delivered';
  return (
    <>
      {isOpen && <Explanation explained={explanation.value} problem={explanation.problem} />}
      <Attempts delivery={delivery} />
      <div class="acts card">
        <Action
          look="primary"
          shortcut="r"
          onRun={() => live.surface.control(control.deliveries.redeliver, { path: { id: delivery.id } })}
          done="Sent the same bytes again, as a new delivery."
        >
          Redeliver now
        </Action>
        <BreakNext event={delivery.event} />
      </div>
      <SentBytes delivery={delivery} explained={explanation.value} />
      {isOpen && <CheckReceiver delivery={delivery} />}
    </>
  );
}

/** Injects a fault into the next attempt of a delivery of this event, once. */
function BreakNext({ event }: { readonly event: WebhookEventType }) {
  const { live } = useBench();
  const add = (name: string) => {
    const fault = deliveryFaults[name];
    if (fault === undefined) return;
    void attempt(async () => {
      await live.surface.control(control.faults.add, { body: { delivery: event, times: 1, fault } });
      announce(`The next attempt of a ${event} ${name}.`);
    });
  };
  return (
    <select
      class="break-next"
      aria-label={`Break the next attempt of a ${event}`}
      value=""
      onChange={(change) => {
        add(change.currentTarget.value);
        change.currentTarget.value = '';
      }}
    >
      <option value="">Break the next attempt: it …</option>
      {Object.keys(deliveryFaults).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

interface ExplanationProperties {
  readonly explained: DeliveryExplanation | undefined;
  readonly problem: string | undefined;
}

const certainties = { certain: '', likely: 'Likely: ', possible: 'Possible: ' } as const;

/** Why a delivery was not acknowledged, the most likely cause first, and what to do about it. */
function Explanation({ explained, problem }: ExplanationProperties) {
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
      <RemedyAction remedy={explained?.remedy} />
    </div>
  );
}
