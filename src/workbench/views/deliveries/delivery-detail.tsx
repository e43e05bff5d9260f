import { useState } from 'preact/hooks';
import type { WebhookEventType } from '../../../contract/webhook-event-type.js';
import type { DeliveryCheck } from '../../../server/subjects/deliveries/explanation/explanation.js';
import { Action, attempt as attemptTo } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import { Field, Form, type Given, Select } from '../../elements/form.js';
import { announce } from '../../elements/notices.js';
import { deliveryFaults } from '../../reading/faults.js';
import type { DeliverySnapshot } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { Attempts } from './attempts.js';
import { Explanation, useExplanation } from './explanation.js';
import { SentBytes } from './sent-bytes.js';

interface DeliveryDetailProperties {
  readonly delivery: DeliverySnapshot;
  /** The number of the attempt that is open. Default: the latest. */
  readonly attempt?: number;
}

/** A delivery: why it failed, its attempts, the exact bytes, and what a person can do. */
export function DeliveryDetail({ delivery: known, attempt }: DeliveryDetailProperties) {
  const live = useLive();
  // The journal has the delivery as it was after an attempt. It shows here as it is now.
  const delivery = live.asItIs(known);
  const explanation = useExplanation(known.id);
  const isOpen = delivery.status !== 'delivered';
  // It stands above the rest, which would move.
  if (isOpen && explanation.value === undefined && explanation.problem === undefined) return null;
  return (
    <>
      {isOpen && <Explanation of={explanation} />}
      <Attempts delivery={delivery} opened={attempt} />
      <div class="acts card">
        <Action
          look="primary"
          aria-keyshortcuts="r"
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

const invitation = 'Break the next attempt: it …';

/** Injects a fault into the next attempt of a delivery of this event, once. */
function BreakNext({ event }: { readonly event: WebhookEventType }) {
  const { surface } = useLive();
  const add = (name: string) => {
    const fault = deliveryFaults[name];
    if (fault === undefined) return;
    void attemptTo(async () => {
      await surface.control(control.faults.add, { body: { delivery: event, times: 1, fault } });
      announce(`The next attempt of a ${event} ${name}.`);
    });
  };
  return (
    <Select
      class="break-next"
      aria-label={`Break the next attempt of a ${event}`}
      options={[invitation, ...Object.keys(deliveryFaults)]}
      value={invitation}
      onChoose={add}
    />
  );
}

/** Compares what the person's receiver has with what was sent: its secret, and the bytes that it hashed. */
function CheckReceiver({ delivery: { id } }: { readonly delivery: DeliverySnapshot }) {
  const { surface } = useLive();
  const [checked, setChecked] = useState<DeliveryCheck>();
  const check = async (given: Given) => {
    const names = ['secret', 'body'].filter((name) => given(name) !== '');
    const body = Object.fromEntries(names.map((name) => [name, given(name)]));
    setChecked(await surface.control(control.deliveries.check, { path: { id }, body }));
  };
  return (
    <Card title="Check your receiver">
      <Form label="Check your receiver" submit="Check" look="plain" keeps onSubmit={check}>
        <Field label="Your receiver's secret" name="secret">
          <input name="secret" type="password" autocomplete="off" spellcheck={false} placeholder="whsec_…" />
        </Field>
        <Field label="Body that your receiver hashed (optional)" name="body">
          <textarea class="code" name="body" rows={2} spellcheck={false} />
        </Field>
      </Form>
      <div role="status">
        {checked?.verified === true && (
          <p>
            <span class="tag ok">verifies</span> With these values, the delivery verifies. The cause is
            elsewhere.
          </p>
        )}
        {checked?.findings.map(({ fault, explanation, advice }) => (
          <p key={fault} data-finding={fault}>
            <strong>{explanation}</strong> {advice}
          </p>
        ))}
      </div>
    </Card>
  );
}
