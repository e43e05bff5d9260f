import { useSignal } from '@preact/signals';
import type { DeliveryCheck } from '../../../server/index.js';
import { Card } from '../../elements/card.js';
import { Field, Form } from '../../elements/form.js';
import type { Delivery } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** Compares what the person's receiver has with what was sent: its secret, and the bytes that it hashed. */
export function CheckReceiver({ delivery: { id } }: { readonly delivery: Delivery }) {
  const { live } = useBench();
  const checked = useSignal<DeliveryCheck | undefined>(undefined);
  const { value } = checked;
  return (
    <Card title="Check your receiver">
      <Form
        label="Check your receiver"
        submit="Check"
        look="plain"
        keeps
        onSubmit={async (given) => {
          const side = ['secret', 'body']
            .map((name) => [name, given(name)])
            .filter(([, text]) => text !== '');
          const body = Object.fromEntries(side);
          checked.value = await live.surface.control(control.deliveries.check, { path: { id }, body });
        }}
      >
        <Field label="Your receiver's secret" name="secret">
          <input name="secret" type="password" autocomplete="off" spellcheck={false} placeholder="whsec_…" />
        </Field>
        <Field label="Body that your receiver hashed (optional)" name="body">
          <textarea class="code" name="body" rows={2} spellcheck={false} />
        </Field>
      </Form>
      <div role="status">
        {value?.verified === true && (
          <p>
            <span class="tag ok">verifies</span> With this, the delivery verifies. The cause is elsewhere.
          </p>
        )}
        {value?.findings.map(({ fault, explanation, advice }) => (
          <p key={fault} data-finding={fault}>
            <strong>{explanation}</strong> {advice}
          </p>
        ))}
      </div>
    </Card>
  );
}
