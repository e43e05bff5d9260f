import type { WebhookEventType } from '../../../contract/webhook-event-type.js';
import type { DeliveryFault } from '../../../server/index.js';
import { attempt } from '../../elements/action.js';
import { announce } from '../../elements/notices.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** What can happen to the next attempt, in words. */
const faults: Readonly<Record<string, DeliveryFault>> = {
  'is answered 500': { kind: 'status', status: 500 },
  'is lost before it arrives': { kind: 'reset', when: 'before_receipt' },
  'arrives, and its answer is lost': { kind: 'reset', when: 'after_receipt' },
  'arrives twice': { kind: 'duplicate' },
  'arrives with a broken signature': { kind: 'tamper', part: 'signature' },
};

/** Lets a fault strike the next attempt of such a delivery, once. */
export function BreakNext({ event }: { readonly event: WebhookEventType }) {
  const { live } = useBench();
  const add = (name: string) => {
    const fault = faults[name];
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
      {Object.keys(faults).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
