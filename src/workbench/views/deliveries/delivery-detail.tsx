import { useMemo } from 'preact/hooks';
import { Action } from '../../elements/action.js';
import { Axis } from '../../elements/axis.js';
import { Card } from '../../elements/card.js';
import { axisOf, describeStatus } from '../../reading/attempts.js';
import type { Delivery } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import { BreakNext } from './break-next.js';
import { CheckReceiver } from './check-receiver.js';
import { Explanation } from './explanation.js';
import { SentBytes } from './sent-bytes.js';

/** A delivery: why it failed, its attempts on a time axis, the exact bytes, and what a person can do. */
export function DeliveryDetail({ delivery: known }: { readonly delivery: Delivery }) {
  const { live } = useBench();
  // The journal has the delivery as it was after an attempt. It shows here as it is now.
  void live.journal.revision.value;
  const delivery = live.journal.delivery(known.id) ?? known;
  const explanation = useMemo(
    () => live.shows(() => live.surface.control(control.deliveries.explain, { path: { id: known.id } })),
    [live, known.id],
  );
  const now = live.now.value ?? delivery.createdAt;
  const isOpen = delivery.status !== 'delivered';
  const isHeld =
    delivery.status === 'pending' && (delivery.dueAt ?? 0) > now && live.clock.value?.flow === 'frozen';
  return (
    <>
      {isOpen && <Explanation explained={explanation.value} problem={explanation.problem} />}
      <Card
        title="Attempts"
        aside={
          <small>
            {describeStatus(delivery, now).text}
            {isHeld && ', but the clock is frozen'}
          </small>
        }
      >
        <Axis points={axisOf(delivery, now)} />
      </Card>
      <div class="acts card">
        <Action
          look="primary"
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
