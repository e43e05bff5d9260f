import { useSignal } from '@preact/signals';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { Copy } from '../../elements/copy.js';
import { operations } from '../../surface/operations.js';
import { RefusedError } from '../../surface/refused-error.js';
import { useBench } from '../bench.js';
import { ConnectReceiver } from './built-in-receiver.js';

interface SubscribeProperties {
  readonly isFirst: boolean;
  /** Runs before the form subscribes. It must stay until `onDone`: it shows the secret. */
  readonly onBegin: () => void;
  readonly onDone: () => void;
}

/** The form that subscribes a receiver. With nothing subscribed, it also shows the command that does. */
export function Subscribe({ isFirst, onBegin, onDone }: SubscribeProperties) {
  const { live } = useBench();
  const problem = useSignal<string>();
  const secret = useSignal<string>();
  const submit = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    onBegin();
    const form = new FormData(event.currentTarget);
    const url = String(form.get('url'));
    const events = webhookEventTypes.filter((type) => form.has(type));
    try {
      const created = Object(await live.surface.api(operations.webhooks.create, { body: { url, events } }));
      problem.value = undefined;
      if (typeof created.secret === 'string') secret.value = created.secret;
      await live.subscriptions.refresh();
    } catch (error) {
      problem.value = reasonOf(error);
    }
  };
  const command = 'npx messaging-automation listen --forward-to http://localhost:3000/webhooks';
  if (secret.value !== undefined) {
    return (
      <div class="subscribe" role="status">
        <p>
          Subscribed. Your receiver needs this secret:
          <br />
          <code>{secret.value}</code>
        </p>
        <div class="acts">
          <Copy text={`WEBHOOK_SECRET=${secret.value}`}>Copy as WEBHOOK_SECRET=…</Copy>
          <button type="button" onClick={onDone}>
            Done
          </button>
        </div>
      </div>
    );
  }
  return (
    <form class="subscribe" onSubmit={submit}>
      {isFirst && <p>No subscription, so nothing is delivered.</p>}
      <label>
        URL of your receiver
        <input name="url" type="url" required placeholder="http://localhost:3000/webhooks" />
      </label>
      <fieldset>
        <legend>Events</legend>
        {webhookEventTypes.map((type) => (
          <label key={type} class="check-line">
            <input type="checkbox" name={type} defaultChecked /> {type}
          </label>
        ))}
      </fieldset>
      {problem.value !== undefined && (
        <p class="why" role="alert">
          {problem.value}
        </p>
      )}
      <div class="acts">
        <button type="submit" class="primary">
          Subscribe
        </button>
        {!isFirst && (
          <button type="button" onClick={onDone}>
            Cancel
          </button>
        )}
      </div>
      {isFirst && (
        <>
          <p>Or in a terminal, even for a server on another machine:</p>
          <pre>{command}</pre>
          <Copy text={command}>Copy the command</Copy>
          <p>Or try it without a program of your own:</p>
          <ConnectReceiver />
        </>
      )}
    </form>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RefusedError)) return String(error);
  const fields = error.fields.map(({ field, message }) => `${field} ${message}`);
  return fields.length === 0 ? error.message : fields.join('; ');
}
