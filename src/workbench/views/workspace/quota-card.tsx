import { Card } from '../../elements/card.js';
import { Field, Form } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The remaining conversations: of the plan, and add-on credits. */
export function QuotaCard() {
  const { live } = useBench();
  const { value } = live.quota;
  if (value === undefined) return null;
  const { quota, addOnCredits } = value;
  return (
    <Card title="Sends left">
      <Form
        label="Sends left"
        submit="Set"
        done="Saved."
        look="plain"
        onSubmit={async (given) => {
          const body = { quota: Number(given('quota')), addOnCredits: Number(given('addOnCredits')) };
          await live.surface.control(control.quota.set, { body });
          await live.quota.refresh();
        }}
      >
        <div class="fields">
          <Field label="Plan" name="quota" inputMode="decimal" value={String(quota)} required />
          <Field
            label="Add-on credits"
            name="addOnCredits"
            inputMode="decimal"
            value={String(addOnCredits)}
            required
          />
        </div>
      </Form>
      <p class="after">
        <small>If none is left, a send gets 402 quota_exceeded.</small>
      </p>
    </Card>
  );
}
