import type { Delivery } from '../../surface/entry.js';

/** How many of the latest deliveries show. */
const latest = 20;

/** The latest deliveries of a subscription as small bars, oldest first. */
export function Health({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const shown = deliveries.slice(-latest);
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  return (
    <span class="health" role="img" aria-label={`${delivered} of ${deliveries.length} delivered`}>
      {shown.map(({ id, status }) => (
        <i key={id} class={status} title={status === 'pending' ? 'not yet delivered' : status} />
      ))}
    </span>
  );
}
