import { useState } from 'preact/hooks';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import type { ReceiverMode } from '../../../server/model/receiver.js';
import { Action, attempt } from '../../elements/action.js';
import { Copy } from '../../elements/copy.js';
import { Foreign } from '../../elements/foreign.js';
import { Field, Form, type Given, Select } from '../../elements/form.js';
import { hrefOf } from '../../live/route.js';
import { hostAndPath } from '../../reading/describe-entry.js';
import type { DeliverySnapshot } from '../../surface/entry.js';
import { control, operations } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import { ConnectReceiver, ForwardDeliveries } from './connect.js';

interface SubscriptionsProperties {
  readonly deliveries: readonly DeliverySnapshot[];
  readonly selected: string | undefined;
}

/** The subscriptions with the health of each, and the form that makes one. */
export function Subscriptions({ deliveries, selected }: SubscriptionsProperties) {
  const live = useLive();
  const [isAdding, setAdding] = useState(false);
  /** The secret of the new subscription, until a person has read it. */
  const [secret, setSecret] = useState<string>();
  const subscriptions = live.subscriptions.value;
  if (subscriptions === undefined) return null;
  const isFirst = subscriptions.length === 0;
  const done = () => {
    setAdding(false);
    setSecret(undefined);
  };
  return (
    <div class="subscriptions">
      {subscriptions.map(({ id, url, events, managed }) => (
        <div key={id} class={`subscription${selected === id ? ' selected' : ''}`}>
          <a href={hrefOf('deliveries', { subscription: selected === id ? undefined : id })}>
            <b>
              <Foreign text={hostAndPath(url)} most={400} />
            </b>
            <small>
              {events.join(', ')}
              {managed ? ' · managed' : ''}
            </small>
          </a>
          {url === live.receiver.value?.url && <ReceiverModes />}
          <Health id={id} deliveries={deliveries} />
          <Action
            aria-label={`Delete the subscription of ${hostAndPath(url)}`}
            question={`Delete the subscription of ${hostAndPath(url)}? Its pending deliveries are cancelled.`}
            onRun={() => live.surface.control(control.subscriptions.remove, { path: { id } })}
          >
            Delete
          </Action>
        </div>
      ))}
      {secret !== undefined && (
        <div class="subscribe" role="status">
          <p>
            Subscribed. Your receiver needs this secret:
            <br />
            <code>{secret}</code>
          </p>
          <div class="acts">
            <Copy text={`WEBHOOK_SECRET=${secret}`}>Copy as WEBHOOK_SECRET=…</Copy>
            <button type="button" onClick={done}>
              Done
            </button>
          </div>
        </div>
      )}
      {secret === undefined && (isFirst || isAdding) && (
        <Subscribe isFirst={isFirst} onSubscribed={setSecret} onCancel={done} />
      )}
      {!isFirst && !isAdding && secret === undefined && (
        <button type="button" onClick={() => setAdding(true)}>
          Subscribe …
        </button>
      )}
    </div>
  );
}

interface HealthProperties extends Pick<SubscriptionsProperties, 'deliveries'> {
  readonly id: string;
}

/** How many deliveries of a subscription succeeded, and how many failed that nothing sent again. */
function Health({ id, deliveries }: HealthProperties) {
  const live = useLive();
  const isOf = ({ subscriptionId }: DeliverySnapshot) => subscriptionId === id;
  const delivered = deliveries.filter((each) => isOf(each) && each.status === 'delivered').length;
  const failed = live.failing.value.filter(isOf).length;
  return (
    <small>
      {delivered} delivered{failed > 0 && <b class="bad">, {failed} failed</b>}
    </small>
  );
}

interface SubscribeProperties {
  readonly isFirst: boolean;
  readonly onSubscribed: (secret: string) => void;
  readonly onCancel: () => void;
}

/** The form that subscribes a receiver. With nothing subscribed, it also says the other ways to begin. */
function Subscribe({ isFirst, onSubscribed, onCancel }: SubscribeProperties) {
  const live = useLive();
  const subscribe = async (given: Given) => {
    const events = webhookEventTypes.filter((type) => given(type) !== '');
    const body = { url: given('url'), events };
    const { secret } = Object(await live.surface.api(operations.webhooks.create, { body }));
    onSubscribed(String(secret));
    await live.subscriptions.refresh();
  };
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
          <p>Or connect a program on any machine:</p>
          <ForwardDeliveries />
          <p>Or try it without a program of your own:</p>
          <ConnectReceiver />
        </>
      ) : (
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

const modes = {
  verify: '200 if the signature is valid',
  wrong_secret: '401: it has a wrong secret',
  error: '500: its handler fails',
  late: 'after the timeout',
} as const satisfies Readonly<Record<ReceiverMode, string>>;

/** How the built-in receiver responds, by choice. */
function ReceiverModes() {
  const live = useLive();
  const set = async (mode: ReceiverMode) => {
    await live.surface.control(control.receiver.set, { body: { mode } });
    await live.receiver.refresh();
  };
  return (
    <div class="receiver-mode">
      <small>It responds</small>
      <Select
        aria-label="The built-in receiver responds"
        options={['verify', 'wrong_secret', 'error', 'late']}
        words={modes}
        value={live.receiver.value?.mode}
        onChoose={(mode) => attempt(() => set(mode))}
      />
    </div>
  );
}
