import { KindIcon } from '../../elements/icon.js';
import { Tag } from '../../elements/tag.js';
import { describeEntry } from '../../reading/describe-entry.js';
import { timeOfDay } from '../../reading/times.js';
import type { Entry } from '../../surface/entry.js';
import { useBench } from '../bench.js';

interface EntryRowProperties {
  readonly entry: Entry;
  readonly href: string;
  readonly isOpen: boolean;
}

/** An entry in two short lines. */
export function EntryRow({ entry, href, isOpen }: EntryRowProperties) {
  const { live } = useBench();
  const { title, detail, outcome, tone } = describeEntry(entry);
  const isUnheard = entry.type === 'event' && live.heard.value?.has(entry.event.event) === false;
  return (
    <a class="entry" href={href} aria-current={isOpen ? 'true' : undefined}>
      <time dateTime={new Date(entry.at).toISOString()}>{timeOfDay(entry.at)}</time>
      <KindIcon type={entry.type} />
      <span class="words">
        <b>{title}</b>
        <span>
          {isUnheard && 'no journey or segment listens to it · '}
          {detail}
        </span>
      </span>
      <Tag tone={tone} text={outcome} />
    </a>
  );
}
