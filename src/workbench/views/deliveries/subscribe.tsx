import { useSignal } from '@preact/signals';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { Copy } from '../../elements/copy.js';
import { Field, Form, type Given } from '../../elements/form.js';
import { operations } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import { ConnectReceiver } from './built-in-receiver.js';

const command = 'npx messaging-automation listen --forward-to http://localhost:3000/webhooks';

interface SubscribeProperties {
  readonly isFirst: boolean;
  /** Runs before the form subscribes. It must stay until `onDone`: it shows the secret. */
  readonly onBegin: () => void;
  readonly onDone: () => void;
}

/** The form that subscribes a receiver. With nothing subscribed, it also says the other ways to begin. */
export function Subscribe({ isFirst, onBegin, onDone }: SubscribeProperties) {
  const { live } = useBench();
  const secret = useSignal<string>();
  const subscribe = async (given: Given) => {
    onBegin();
    const events = webhookEventTypes.filter((type) => given(type) !== '');
    const body = { url: given('url'), events };
    const created = Object(await live.surface.api(operations.webhooks.create, { body }));
    if (typeof created.secret === 'string') secret.value = created.secret;
    await live.subscriptions.refresh();
  };
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
    <div class="subscribe">
      {isFirst && <p>No subscription, so nothing is delivered.</p>}
      <Form label="Subscribe" submit="Subscribe" keeps onSubmit={subscribe}>
        <Field label="URL of your receiver" name="url">
          <input name="url" type="url" required placeholder="http://localhost:3000/webhooks" />
        </Field>
        <fieldset>
          <legend>Events</legend>
          {webhookEventTypes.map((type) => (
            <label key={type} class="check-line">
              <input type="checkbox" name={type} defaultChecked /> {type}
            </label>
          ))}
        </fieldset>
      </Form>
      {isFirst ? (
        <>
          <p>
            Or connect a program on any machine: <code>{command}</code>
          </p>
          <Copy text={command}>Copy the command</Copy>
          <p>Or try it without a program of your own:</p>
          <ConnectReceiver />
        </>
      ) : (
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      )}
    </div>
  );
}
