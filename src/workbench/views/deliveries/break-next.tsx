import type { WebhookEventType } from '../../../contract/webhook-event-type.js';
import { attempt } from '../../elements/action.js';
import { announce } from '../../elements/notices.js';
import { deliveryFaults } from '../../reading/fault-choices.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** Injects a fault into the next attempt of a delivery of this event, once. */
export function BreakNext({ event }: { readonly event: WebhookEventType }) {
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
