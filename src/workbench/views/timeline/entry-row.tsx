import { Row } from '../../elements/row.js';
import { describeEntry } from '../../reading/describe-entry.js';
import type { Entry } from '../../surface/entry.js';
import { useBench } from '../bench.js';

interface EntryRowProperties {
  readonly entry: Entry;
  /** The entry in the row above. */
  readonly above: Entry | undefined;
  readonly href: string;
  readonly isOpen: boolean;
}

/** An entry in two short lines. */
export function EntryRow({ entry, above, href, isOpen }: EntryRowProperties) {
  const { live } = useBench();
  const isUnheard = entry.type === 'event' && live.heard.value?.has(entry.event.event) === false;
  return (
    <Row
      {...describeEntry(entry)}
      href={href}
      isOpen={isOpen}
      at={entry.at}
      above={above?.at}
      type={entry.type}
      note={isUnheard && 'no journey or segment listens to it · '}
    />
  );
}
