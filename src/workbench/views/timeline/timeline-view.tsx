import { useMemo } from 'preact/hooks';
import { VirtualList } from '../../elements/virtual-list.js';
import { hrefOf, replaceRoute } from '../../live/route.js';
import { Selection } from '../../live/selection.js';
import { everything, isEverything } from '../../reading/filter.js';
import { isNew } from '../../reading/first-steps.js';
import { dayOf } from '../../reading/times.js';
import type { Entry } from '../../surface/entry.js';
import { useBench } from '../bench.js';
import { EntryDetail } from './entry-detail.js';
import { EntryRow } from './entry-row.js';
import { FilterBar } from './filter-bar.js';
import { FirstSteps } from './first-steps.js';
import './timeline.css';

/** The height of a row in timeline.css. In pixels. */
const rowHeight = 50;

/** Everything that happened, newest first, and the entry that is open. Without a filter, a row is what followed from one thing. */
export function TimelineView() {
  const { live, route } = useBench();
  const { parameters } = route.value;
  const { kind, outcome, contact, text, each } = { ...everything, ...parameters };
  const filter = { kind, outcome, contact, text, each };
  const selection = useMemo(() => new Selection(live.journal), [live]);
  // The list below changes with each revision.
  void live.journal.revision.value;
  const opened = parameters.entry === undefined ? undefined : live.journal.linked(parameters.entry);
  const isTold = isEverything(filter) && filter.each === '';
  const entries = isTold ? live.journal.stories.rows(opened) : selection.of(filter);
  const missing = parameters.entry !== undefined && opened === undefined && <MissingEntry />;
  const hrefTo = (entry?: Entry) =>
    hrefOf('timeline', { ...filter, entry: entry && live.journal.linkTo(entry.number) });

  const areFirstStepsUnderWay =
    isNew(live.journal.entries) &&
    live.subscriptions.value?.some(({ url }) => url === live.receiver.value?.url) === true;

  if (live.journal.entries.length === 0)
    return (
      <>
        {missing}
        <FirstSteps />
      </>
    );
  return (
    <div class={`timeline${opened === undefined ? '' : ' has-open'}`}>
      <section class="list" aria-label="Timeline">
        <FilterBar filter={filter} found={isTold ? live.journal.entries.length : entries.length} />
        {missing}
        {entries.length === 0 ? (
          <p class="none">
            No entry matches the filter. <a href={hrefOf('timeline')}>Show all</a>
          </p>
        ) : (
          <VirtualList
            items={entries}
            label={isEverything(filter) ? 'All entries, newest first' : 'Matching entries, newest first'}
            rowHeight={rowHeight}
            keyOf={({ number }) => number}
            rowOf={(entry) => (isTold && live.journal.stories.chapterOf(entry)[0]) || entry}
            isSelected={(entry) => entry === opened}
            onSelect={(entry) => replaceRoute(hrefTo(entry))}
            headingOf={({ at }) => dayOf(at, live.now.value ?? at)}
            render={(entry, above) => (
              <EntryRow
                entry={entry}
                above={above}
                hrefTo={hrefTo}
                opened={opened}
                {...(isTold && { chapter: live.journal.stories.chapterOf(entry) })}
              />
            )}
          />
        )}
      </section>
      {opened === undefined ? (
        areFirstStepsUnderWay ? (
          <FirstSteps />
        ) : (
          <section class="detail hint" aria-label="Entry">
            <p>Select an entry to see its bytes, its causes and its effects.</p>
          </section>
        )
      ) : (
        <EntryDetail key={opened.number} entry={opened} closeHref={hrefTo()} />
      )}
    </div>
  );
}

/** Says that the entry of a link is not there, once the page has everything. */
function MissingEntry() {
  const { value: connection } = useBench().live.connection;
  if (connection.kind !== 'live' || connection.behind > 0) return null;
  return (
    <p class="problem missing" role="alert">
      The entry of this link is not here. It is from before a restart or a reset, or older than the newest
      10,000 entries.
    </p>
  );
}
