import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import { type EventStream, eventText, idleAfter } from '../event-stream.js';
import type { ControlCaller } from '../operation.js';
import { entryAsJson } from './entry-json.js';
import { follow, type Occurrence, type WatchChanges } from './follow.js';

/**
 * Streams the journal, from an entry on, and reports other changes. An event id of an earlier process says nothing, because the numbers of
 * the journal restart with the process.
 */
export function journalStream(
  live: LiveWorkspace,
  request: ControlCaller,
  since: number | undefined,
  watchChanges: WatchChanges,
): EventStream<Occurrence> {
  const { id: workspaceId, history } = live;
  const run = Math.trunc(live.startedAt).toString(36);
  const idOf = (number: number) => `${run}-${number}`;
  const [, lastRun, lastNumber] = /^([\da-z]+)-(\d{1,15})$/.exec(request.header('last-event-id') ?? '') ?? [];
  const resumed = lastRun === run;
  const { latest } = history;
  const after = resumed ? Number(lastNumber) : (since ?? latest);
  return {
    reconnectAfter: 1_000,
    occurrences: follow(live, { after, gone: request.gone, watchChanges, idleAfter }),
    start: eventText('start', { workspaceId, resumed, after, latest }, idOf(after)),
    textOf(occurrence) {
      switch (occurrence.kind) {
        case 'entry': {
          const { number, entry } = occurrence;
          return eventText('entry', { number, ...entryAsJson(entry) }, idOf(number));
        }
        case 'missed':
          return eventText('missed', { count: occurrence.count }, idOf(occurrence.number));
        case 'cleared':
          return eventText('cleared', {}, idOf(occurrence.number));
        case 'changed':
          return eventText('changed', { kinds: occurrence.kinds });
      }
    },
  };
}
