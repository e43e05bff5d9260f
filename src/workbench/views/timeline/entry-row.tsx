import { Row } from '../../elements/row.js';
import type { StoryEntries } from '../../live/stories.js';
import type { FollowedWorkspace } from '../../live/workspace.js';
import { describeEntry } from '../../reading/describe-entry.js';
import { describeStory, type StoryDescription } from '../../reading/describe-story.js';
import type { EntryJson } from '../../surface/entry.js';
import { useLive } from '../use-live.js';

interface EntryRowProperties {
  readonly entry: EntryJson;
  /** The entry in the row above. */
  readonly above: EntryJson | undefined;
  readonly href: string;
  readonly isOpen: boolean;
}

/** An entry in two short lines. */
export function EntryRow({ entry, above, ...row }: EntryRowProperties) {
  const live = useLive();
  return (
    <Row
      {...describeEntry(entry)}
      {...row}
      who={live.journal.whose(entry)}
      at={entry.at}
      above={above?.at}
      type={entry.type}
      note={isUnheard(entry, live) && unheard}
    />
  );
}

interface StoryRowProperties {
  readonly story: StoryEntries;
  /** The story in the row above. */
  readonly above: StoryEntries | undefined;
  readonly hrefTo: (entry: EntryJson) => string;
  readonly isOpen: boolean;
}

/** A story in two short lines: whose it is, how it began, its newest step, and how it ended. It leads to what failed in it. */
export function StoryRow({ story, above, hrefTo, isOpen }: StoryRowProperties) {
  const live = useLive();
  const [first, newest] = [story[0], story.at(-1)];
  const described = describeIn(live, story);
  if (described === undefined || first === undefined || newest === undefined) return null;
  const { subject, opens } = described;
  return (
    <Row
      {...described}
      who={live.journal.whose(first)}
      href={hrefTo(opens)}
      isOpen={isOpen}
      at={newest.at}
      above={above?.at(-1)?.at}
      type={subject.type}
      note={isUnheard(subject, live) && unheard}
    />
  );
}

/** Describes a story with what the page knows. Undefined for one without entries. */
export function describeIn(
  live: FollowedWorkspace,
  [first, ...others]: StoryEntries,
): StoryDescription | undefined {
  return (
    first &&
    describeStory([first, ...others], {
      journeys: live.journeys.value,
      now: () => live.now.value ?? 0,
      asItIs: live.asItIs,
      isDeleted: (contactId) => live.journal.people.isDeleted(contactId),
    })
  );
}

const unheard = 'no journey or segment listens to it · ';

function isUnheard(entry: EntryJson, live: FollowedWorkspace): boolean {
  return entry.type === 'event' && live.heard.value?.has(entry.event.event) === false;
}
