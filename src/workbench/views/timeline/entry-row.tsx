import { Row } from '../../elements/row.js';
import type { Chapter } from '../../live/stories.js';
import { decisiveIn, describeEntry } from '../../reading/describe-entry.js';
import type { Entry } from '../../surface/entry.js';
import { useLive } from '../use-live.js';

interface EntryRowProperties {
  readonly entry: Entry;
  /** The entry in the row above. */
  readonly above: Entry | undefined;
  readonly hrefTo: (entry: Entry) => string;
  readonly opened: Entry | undefined;
  /** What happened together with it, if the list has a row for a chapter. */
  readonly chapter?: Chapter;
}

/** An entry in two short lines. A closed chapter shows how it ended, and leads to what failed in it. */
export function EntryRow({ entry, above, hrefTo, opened, chapter = [] }: EntryRowProperties) {
  const heard = useLive().heard.value;
  const isClosed = chapter.length > 1 && !(opened && chapter.includes(opened));
  const shown = isClosed ? chapter : [entry];
  const decisive = isClosed ? decisiveIn(entry, chapter) : entry;
  const { title, detail } = describeEntry(entry);
  const ending = describeEntry(decisive);
  const { outcome, tone } = ending;
  const details = tone === 'ok' || decisive === entry ? [detail] : [detail, ending.title, ending.detail];
  const isUnheard = shown.some((each) => each.type === 'event' && heard?.has(each.event.event) === false);
  return (
    <Row
      title={title}
      detail={details.filter((words) => words !== '').join(' · ')}
      outcome={outcome}
      tone={tone}
      href={hrefTo(tone === 'bad' ? decisive : entry)}
      isOpen={entry === opened}
      isPart={chapter.length > 0 && chapter[0] !== entry}
      at={entry.at}
      above={above?.at}
      type={entry.type}
      note={[
        shown.length > 1 && `+${shown.length - 1} · `,
        isUnheard && 'no journey or segment listens to it · ',
      ]}
    />
  );
}
