import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Choice } from '../../elements/action.js';
import { kinds } from '../../elements/icon.js';
import { VirtualList } from '../../elements/virtual-list.js';
import { hrefOf, replaceRoute, route } from '../../live/route.js';
import type { StoryEntries } from '../../live/stories.js';
import { counted } from '../../reading/counted.js';
import { everything, type Filter, isEverything, passingOnce } from '../../reading/filter.js';
import { dayOf } from '../../reading/times.js';
import type { EntryJson } from '../../surface/entry.js';
import { useLive } from '../use-live.js';
import { EntryDetail } from './entry-detail.js';
import { describeIn, EntryRow, StoryRow } from './entry-row.js';
import { FirstSteps } from './first-steps.js';
import './timeline.css';

/** The most entries of a workspace that counts as new: the first steps still help. */
const mostOfNew = 50;

/** Everything that happened, newest first, and the entry that is open. Without a filter, a row is what followed from one thing. */
export function TimelineView({ above }: { readonly above: ComponentChildren }) {
  const live = useLive();
  const { parameters } = route.value;
  const { kind, outcome, contact, text, each } = { ...everything, ...parameters };
  const filter = { kind, outcome, contact, text, each };
  const { journal } = live;
  const { value: people } = live.people;
  const isPassing = useMemo(
    () => passingOnce(filter, (entry) => journal.whose(entry)),
    [...Object.values(filter), people && journal.people.version],
  );
  const { entries: all } = journal;
  const opened = parameters.entry === undefined ? undefined : live.journal.linked(parameters.entry);
  const isTold = isEverything(filter) && filter.each === '';
  const entries = isTold ? [] : all.filter(isPassing);
  const missing = parameters.entry !== undefined && opened === undefined && <MissingEntry />;
  const hrefTo = (entry?: EntryJson) =>
    hrefOf('timeline', { ...filter, entry: entry && live.journal.linkTo(entry.number) });

  const isConnected = live.subscriptions.value?.some(({ url }) => url === live.receiver.value?.url) === true;
  // To freeze the clock first, for example, is no step.
  const areFirstStepsUnderWay =
    all.length <= mostOfNew && (isConnected || all.every(({ type }) => type === 'change'));

  if (all.length === 0)
    return (
      <>
        {above}
        {missing}
        <FirstSteps />
      </>
    );
  return (
    <div class={`timeline${opened === undefined ? '' : ' has-open'}`}>
      <section class="list" aria-label="Timeline">
        {above}
        <FilterBar filter={filter} found={isTold ? all.length : entries.length} />
        {missing}
        {isTold && <StoryList opened={opened} hrefTo={hrefTo} />}
        {!isTold && entries.length === 0 && (
          <p class="none">
            No entry matches the filter. <a href={hrefOf('timeline')}>Show all</a>
          </p>
        )}
        {entries.length > 0 && (
          <EntryList
            entries={entries}
            label={isEverything(filter) ? everyEntry : 'Matching entries, newest first'}
            opened={opened}
            hrefTo={hrefTo}
          />
        )}
      </section>
      {opened !== undefined && <EntryDetail key={opened.number} entry={opened} closeHref={hrefTo()} />}
      {opened === undefined && areFirstStepsUnderWay && <FirstSteps />}
      {opened === undefined && !areFirstStepsUnderWay && (
        <section class="detail hint" aria-label="Entry">
          <p>Select an entry to see its bytes, its causes and its effects.</p>
        </section>
      )}
    </div>
  );
}

const everyEntry = 'All entries, newest first';

interface ListProperties {
  readonly opened: EntryJson | undefined;
  readonly hrefTo: (entry?: EntryJson) => string;
}

interface EntryListProperties extends ListProperties {
  readonly entries: readonly EntryJson[];
  readonly label: string;
}

/** A row for each entry, the newest on top. */
function EntryList({ entries, label, opened, hrefTo }: EntryListProperties) {
  const live = useLive();
  return (
    <VirtualList
      items={entries}
      label={label}
      keyOf={({ number }) => number}
      isSelected={(entry) => entry === opened}
      onSelect={(entry) => replaceRoute(hrefTo(entry))}
      headingOf={({ at }) => dayOf(at, live.now.value ?? at)}
      render={(entry, above) => (
        <EntryRow entry={entry} above={above} href={hrefTo(entry)} isOpen={entry === opened} />
      )}
    />
  );
}

/** A row for each story. That in which something happened last is on top. */
function StoryList({ opened, hrefTo }: ListProperties) {
  const live = useLive();
  const { stories } = live.journal;
  const open = opened && stories.of(opened);
  return (
    <VirtualList
      items={stories.rows}
      label={everyEntry}
      keyOf={beginningOf}
      isSelected={(story) => story === open}
      onSelect={(story) => replaceRoute(hrefTo(describeIn(live, story)?.opens))}
      headingOf={(story) => dayOf(timeOf(story), live.now.value ?? timeOf(story))}
      render={(story, above) => (
        <StoryRow story={story} above={above} hrefTo={hrefTo} isOpen={story === open} />
      )}
    />
  );
}

/** When the newest step of a story happened. */
function timeOf(story: StoryEntries): number {
  return story.at(-1)?.at ?? 0;
}

/** The number of the entry with which a story began. That of a request comes after what the request did. */
function beginningOf([first, second]: StoryEntries): number {
  return Math.min(first?.number ?? 0, second?.number ?? Number.POSITIVE_INFINITY);
}

/** Which entries the timeline shows. Each change is in the URL, so that it can be kept and shared. */
function FilterBar({ filter, found }: { readonly filter: Filter; readonly found: number }) {
  const { journal, recording } = useLive();
  const change = (changes: Partial<Filter>) => {
    const { entry } = route.value.parameters;
    replaceRoute(hrefOf('timeline', { ...filter, ...changes, entry }));
  };
  const named = filter.kind.split(',').filter(Boolean);
  const record = () => {
    recording.value ??= journal.entries.at(-1)?.number ?? 0;
  };
  return (
    <div class="filter" role="search">
      <div class="search">
        <input
          type="search"
          aria-label="Text in the entries"
          aria-keyshortcuts="/"
          placeholder="Find text, an id, a phone …"
          value={filter.text}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        <small aria-live="polite">{counted(found)}</small>
      </div>
      <div class="choices" role="group" aria-label="Kinds of entries">
        {kinds.map(({ type, name }) => {
          const others = named.filter((each) => each !== type);
          const isOn = others.length < named.length;
          const toggled = isOn ? others : [...named, type];
          return (
            <Choice key={type} isOn={isOn} onClick={() => change({ kind: toggled.join() })}>
              {name}
            </Choice>
          );
        })}
        <Choice
          isOn={filter.outcome !== ''}
          onClick={() => change({ outcome: filter.outcome === '' ? 'failed' : '' })}
        >
          Failed only
        </Choice>
        {isEverything(filter) && (
          <Choice isOn={filter.each !== ''} onClick={() => change({ each: filter.each === '' ? '1' : '' })}>
            Each entry
          </Choice>
        )}
        <Choice
          isOn={recording.value !== undefined}
          title="Record what happens from now on as a test"
          onClick={record}
        >
          ● Record
        </Choice>
        {filter.contact !== '' && (
          <Choice
            isOn
            aria-label={`Remove the filter by contact ${filter.contact}`}
            onClick={() => change({ contact: '' })}
          >
            {filter.contact} ×
          </Choice>
        )}
        {!isEverything(filter) && (
          <a class="choice" href={hrefOf('timeline')}>
            Clear
          </a>
        )}
      </div>
    </div>
  );
}

/** Says that the entry of a link is not there, once the page has everything. */
function MissingEntry() {
  const { value: connection } = useLive().connection;
  if (connection.kind !== 'live' || connection.behind > 0) return null;
  return (
    <p class="problem missing" role="alert">
      The entry of this link is not here. It is from before a restart or a reset, or older than the newest
      10,000 entries.
    </p>
  );
}
