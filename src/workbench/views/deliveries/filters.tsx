import { useMemo } from 'preact/hooks';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { Choice } from '../../elements/action.js';
import { Select } from '../../elements/form.js';
import { hrefOf, replaceRoute, route } from '../../live/route.js';
import { counted } from '../../reading/counted.js';
import type { DeliverySnapshot } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import type { Surface } from '../../surface/surface.js';
import { useLive } from '../use-live.js';

/** Which deliveries show. A field that is not set lets all pass. */
export interface DeliverySelection {
  readonly status?: DeliverySnapshot['status'];
  readonly event?: DeliverySnapshot['event'];
  readonly subscriptionId?: string;
}

const statuses = ['delivered', 'pending', 'failed', 'cancelled'] as const;

/** The filter in the parameters of a URL. What it does not know lets all pass. */
export function filterIn(parameters: Readonly<Record<string, string>>): DeliverySelection {
  const { subscription: subscriptionId, ...named } = parameters;
  const status = statuses.find((each) => each === named.status);
  const event = webhookEventTypes.find((each) => each === named.event);
  return {
    ...(status && { status }),
    ...(event && { event }),
    ...(subscriptionId && { subscriptionId }),
  };
}

export function isWanted(
  { status, event, subscriptionId }: DeliverySelection,
  delivery: DeliverySnapshot,
): boolean {
  return (
    (status ?? delivery.status) === delivery.status &&
    (event ?? delivery.event) === delivery.event &&
    (subscriptionId ?? delivery.subscriptionId) === delivery.subscriptionId
  );
}

/** The deliveries that the server finds. The journal begins with the process, and a state file has deliveries from before. */
export function useFound({ status, event, subscriptionId }: DeliverySelection) {
  const live = useLive();
  return useMemo(
    () => live.shows(() => whole(live.surface, { status, event, subscriptionId }), 'deliveries'),
    [live, status, event, subscriptionId],
  );
}

/** The most pages that the page asks for. */
const mostPages = 20;

async function whole(
  surface: Surface,
  query: { readonly [Name in keyof DeliverySelection]: DeliverySelection[Name] | undefined },
): Promise<readonly DeliverySnapshot[]> {
  const found: DeliverySnapshot[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await surface.control(control.deliveries.find, { query: { ...query, cursor } });
    found.push(...page.data);
    if (!page.more) break;
    cursor = page.cursor;
  }
  return found;
}

interface FiltersProperties {
  readonly of: readonly DeliverySnapshot[];
  readonly filter: DeliverySelection;
}

/** The states and the events, each with how many deliveries the choice would show. A subscription above is the receiver. */
export function Filters({ of, filter }: FiltersProperties) {
  const choose = (name: 'status' | 'event', value: string | undefined) =>
    replaceRoute(hrefOf('deliveries', { ...route.value.parameters, delivery: undefined, [name]: value }));
  const count = (change: DeliverySelection) =>
    counted(of.filter((delivery) => isWanted({ ...filter, ...change }, delivery)).length);
  const { status: _, ...anyStatus } = filter;
  const { event: __, ...anyEvent } = filter;
  const countOfAll = (among: DeliverySelection) =>
    counted(of.filter((delivery) => isWanted(among, delivery)).length);
  const events = [
    `any event · ${countOfAll(anyEvent)}`,
    ...webhookEventTypes.map((event) => `${event} · ${count({ event })}`),
  ];
  const chosen = filter.event === undefined ? 0 : webhookEventTypes.indexOf(filter.event) + 1;
  return (
    <div class="filters" role="group" aria-label="Filters of deliveries">
      <Choice isOn={filter.status === undefined} onClick={() => choose('status', undefined)}>
        all {countOfAll(anyStatus)}
      </Choice>
      {statuses.map((status) => (
        <Choice key={status} isOn={filter.status === status} onClick={() => choose('status', status)}>
          {status} {count({ status })}
        </Choice>
      ))}
      <Select
        aria-label="Event of the deliveries"
        options={events}
        value={events[chosen]}
        onChoose={(words) => choose('event', webhookEventTypes[events.indexOf(words) - 1])}
      />
    </div>
  );
}
