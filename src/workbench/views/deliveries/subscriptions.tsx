import { useSignal } from '@preact/signals';
import { Action } from '../../elements/action.js';
import { hrefOf } from '../../live/route.js';
import { hostAndPath } from '../../reading/told.js';
import type { Delivery } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import { Health } from './health.js';
import { Subscribe } from './subscribe.js';

interface SubscriptionsProperties {
  readonly deliveries: readonly Delivery[];
  readonly selected: string | undefined;
}

/** The subscriptions with the health of each, and the form that makes one. */
export function Subscriptions({ deliveries, selected }: SubscriptionsProperties) {
  const { live } = useBench();
  const isAdding = useSignal(false);
  const subscriptions = live.subscriptions.value;
  if (subscriptions === undefined) return null;
  return (
    <div class="subscriptions">
      {subscriptions.map(({ id, url, events, managed }) => (
        <div key={id} class={`subscription${selected === id ? ' selected' : ''}`}>
          <a href={hrefOf('deliveries', { subscription: selected === id ? undefined : id })}>
            <b>{hostAndPath(url)}</b>
            <small>
              {events.join(', ')}
              {managed ? ' · managed' : ''}
            </small>
          </a>
          <Health deliveries={deliveries.filter((delivery) => delivery.subscriptionId === id)} />
          <Action
            look="quiet"
            label={`Delete the subscription of ${hostAndPath(url)}`}
            onRun={() => remove(() => live.surface.control(control.subscriptions.remove, { path: { id } }))}
          >
            Delete
          </Action>
        </div>
      ))}
      {subscriptions.length === 0 || isAdding.value ? (
        <Subscribe
          isFirst={subscriptions.length === 0}
          onDone={() => {
            isAdding.value = false;
          }}
        />
      ) : (
        <button
          type="button"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          Subscribe …
        </button>
      )}
    </div>
  );
}

/** Deletes after the person has confirmed it: pending deliveries go with the subscription. */
async function remove(action: () => Promise<unknown>): Promise<void> {
  if (window.confirm('Delete the subscription? This cancels its pending deliveries.')) await action();
}
