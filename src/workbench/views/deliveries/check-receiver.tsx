import { useSignal } from '@preact/signals';
import { attempt } from '../../elements/action.js';
import { Card } from '../../elements/card.js';
import type { Delivery } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

type Checked = Awaited<ReturnType<typeof check>>;

/** Compares what the person's receiver has with what was sent: its secret, and the bytes that it hashed. */
export function CheckReceiver({ delivery }: { readonly delivery: Delivery }) {
  const { live } = useBench();
  const checked = useSignal<Checked | undefined>(undefined);
  const submit = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    await attempt(async () => {
      checked.value = await check(live.surface, delivery.id, textOf(given, 'secret'), textOf(given, 'body'));
    });
  };
  const { value } = checked;
  return (
    <Card title="Check your receiver">
      <form class="check" onSubmit={submit}>
        <label>
          Your receiver's secret
          <input name="secret" type="password" autocomplete="off" spellcheck={false} placeholder="whsec_…" />
        </label>
        <label>
          What your receiver hashed (optional)
          <textarea name="body" rows={2} spellcheck={false} />
        </label>
        <button type="submit">Check</button>
      </form>
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

function check(
  surface: ReturnType<typeof useBench>['live']['surface'],
  id: string,
  secret: string | undefined,
  body: string | undefined,
) {
  return surface.control(control.deliveries.check, {
    path: { id },
    body: { ...(secret !== undefined && { secret }), ...(body !== undefined && { body }) },
  });
}

function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
