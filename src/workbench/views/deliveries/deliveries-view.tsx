import { useState } from 'preact/hooks';
import { Action } from '../../elements/action.js';
import { Foreign } from '../../elements/foreign.js';
import { Row } from '../../elements/row.js';
import { VirtualList } from '../../elements/virtual-list.js';
import { hrefOf, replaceRoute, route } from '../../live/route.js';
import { counted } from '../../reading/counted.js';
import { describeDelivery } from '../../reading/describe-delivery.js';
import { dayOf } from '../../reading/times.js';
import type { DeliverySnapshot } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { RefusedError } from '../../surface/refused-error.js';
import { useLive } from '../use-live.js';
import { DeliveryDetail } from './delivery-detail.js';
import { Filters, filterIn, isWanted, useFound } from './filters.js';
import { Subscriptions } from './subscriptions.js';

/** The subscriptions with their health, the deliveries, and the one that is open. */
export function DeliveriesView() {
  const live = useLive();
  const { delivery: id, ...parameters } = route.value.parameters;
  const filter = filterIn(parameters);
  const { subscription } = parameters;
  const found = useFound(filter);
  const all = together(useFound({}).value ?? [], live.journal.deliveries.value);
  const matching = all.filter((delivery) => isWanted(filter, delivery));
  const shown = together(found.value ?? [], new Map(matching.map((delivery) => [delivery.id, delivery])));
  const opened = shown.find((each) => each.id === id) ?? all.find((each) => each.id === id);
  const hrefTo = (delivery?: DeliverySnapshot) =>
    hrefOf('deliveries', { ...parameters, delivery: delivery?.id });
  // What comes later would move what shows already.
  if ([live.subscriptions, live.receiver, found].some(({ value }) => value === undefined)) return null;
  return (
    <div class={`timeline deliveries${opened === undefined ? '' : ' has-open'}`}>
      <section class="list" aria-label="Subscriptions and deliveries">
        <Subscriptions deliveries={all} selected={subscription} />
        {all.length > 0 && <Filters of={all} filter={filter} />}
        <RetryFailed deliveries={shown} />
        {shown.length === 0 ? (
          <p class="none">
            {all.length === 0
              ? 'No delivery yet. Write a message as a contact to trigger one.'
              : 'No delivery matches.'}
          </p>
        ) : (
          <VirtualList
            items={shown}
            label="Deliveries, newest first"
            keyOf={(delivery) => delivery.id}
            isSelected={(delivery) => delivery.id === id}
            onSelect={(delivery) => replaceRoute(hrefTo(delivery))}
            headingOf={({ createdAt }) => dayOf(createdAt, live.now.value ?? createdAt)}
            render={(delivery, above) => (
              <Row
                {...describeDelivery(delivery, live.people.value, live.now.value ?? delivery.createdAt)}
                href={hrefTo(delivery)}
                isOpen={delivery.id === id}
                at={delivery.createdAt}
                above={above?.createdAt}
                type="attempt"
              />
            )}
          />
        )}
      </section>
      {opened === undefined ? (
        <section class="detail hint" aria-label="Delivery">
          <p>Select a delivery to see its attempts, its bytes and why it failed.</p>
        </section>
      ) : (
        <section key={opened.id} class="detail" aria-label={`Delivery ${opened.id}`}>
          <header class="headline">
            <h2>
              {opened.event} to <Foreign text={opened.url.replace(/^https?:\/\//, '')} most={1_000} />
            </h2>
            <a
              class="button close"
              href={hrefTo()}
              aria-label="Close the delivery"
              aria-keyshortcuts="Escape"
            >
              ×
            </a>
          </header>
          <p class="sub">{opened.id}</p>
          <DeliveryDetail key={opened.id} delivery={opened} />
        </section>
      )}
    </div>
  );
}

/** Ignores that another command or page has redelivered a delivery meanwhile. */
function unlessRedelivered(error: unknown): void {
  if (!(error instanceof RefusedError && error.status === 409)) throw error;
}

/** Sends each failed delivery again that nothing has sent again yet. */
function RetryFailed({ deliveries }: { readonly deliveries: readonly DeliverySnapshot[] }) {
  const live = useLive();
  const [sent, setSent] = useState<readonly string[]>([]);
  const failing = new Set(live.failing.value.map(({ id }) => id));
  const failed = deliveries.filter(({ id }) => failing.has(id) && !sent.includes(id));
  if (failed.length === 0) return null;
  const retry = async () => {
    for (const { id } of failed) {
      await live.surface
        .control(control.deliveries.redeliver, { path: { id }, query: { ifFailed: 'true' } })
        .catch(unlessRedelivered);
      setSent((before) => [...before, id]);
    }
  };
  return (
    <div class="acts retry-failed">
      <Action onRun={retry} done={`Sent ${counted(failed.length)} again.`}>
        Retry {failed.length === 1 ? 'the failed delivery' : `all ${counted(failed.length)} failed`}
      </Action>
    </div>
  );
}

/** Both, each delivery once and oldest first, as the newer one has it. */
function together(
  earlier: readonly DeliverySnapshot[],
  newer: ReadonlyMap<string, DeliverySnapshot>,
): readonly DeliverySnapshot[] {
  const byId = new Map(earlier.map((delivery) => [delivery.id, delivery]));
  for (const [id, delivery] of newer) {
    const known = byId.get(id);
    if (known === undefined || known.attempts.length < delivery.attempts.length) byId.set(id, delivery);
  }
  return [...byId.values()].sort((one, other) => one.createdAt - other.createdAt);
}
