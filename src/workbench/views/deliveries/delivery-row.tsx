import { KindIcon } from '../../elements/icon.js';
import { Tag } from '../../elements/tag.js';
import { describeStatus } from '../../reading/attempts.js';
import { hostAndPath } from '../../reading/describe-entry.js';
import { timeOfDay } from '../../reading/times.js';
import type { Delivery } from '../../surface/entry.js';
import { useBench } from '../bench.js';

interface DeliveryRowProperties {
  readonly delivery: Delivery;
  readonly href: string;
  readonly isOpen: boolean;
}

/** A delivery in two short lines. */
export function DeliveryRow({ delivery, href, isOpen }: DeliveryRowProperties) {
  const { live } = useBench();
  const { text, tone } = describeStatus(delivery, live.now.value ?? delivery.createdAt);
  const last = delivery.attempts.at(-1);
  return (
    <a class="entry" href={href} aria-current={isOpen ? 'true' : undefined}>
      <time dateTime={new Date(delivery.createdAt).toISOString()}>{timeOfDay(delivery.createdAt)}</time>
      <KindIcon type="attempt" />
      <span class="words">
        <b>{delivery.event}</b>
        <span>{last?.error ?? hostAndPath(delivery.url)}</span>
      </span>
      <Tag tone={tone} text={text} />
    </a>
  );
}
