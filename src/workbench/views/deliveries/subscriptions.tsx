import { useSignal } from '@preact/signals';
import { Confirm } from '../../elements/action.js';
import { Foreign } from '../../elements/foreign.js';
import { hrefOf } from '../../live/route.js';
import { hostAndPath } from '../../reading/describe-entry.js';
import type { Delivery } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import { ReceiverMode } from './built-in-receiver.js';
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
            <b>
              <Foreign text={hostAndPath(url)} most={400} />
            </b>
            <small>
              {events.join(', ')}
              {managed ? ' · managed' : ''}
            </small>
          </a>
          {url === live.receiver.value?.url && <ReceiverMode />}
          <Health deliveries={deliveries.filter((delivery) => delivery.subscriptionId === id)} />
          <Confirm
            label={`Delete the subscription of ${hostAndPath(url)}`}
            question={`Delete the subscription of ${hostAndPath(url)}? Its pending deliveries are cancelled.`}
            onRun={() => live.surface.control(control.subscriptions.remove, { path: { id } })}
          >
            Delete
          </Confirm>
        </div>
      ))}
      {subscriptions.length === 0 || isAdding.value ? (
        <Subscribe
          isFirst={subscriptions.length === 0}
          onBegin={() => {
            isAdding.value = true;
          }}
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

/** How many deliveries of a subscription succeeded. */
function Health({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  return (
    <small>
      {delivered} delivered{failed > 0 && <b class="bad">, {failed} failed</b>}
    </small>
  );
}
