import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ChangeKind } from '../../server/model/change.js';
import type { Entry } from '../surface/entry.js';
import { control } from '../surface/operations.js';
import { RefusedError } from '../surface/refused-error.js';
import type { Surface } from '../surface/surface.js';

/** The state of the connection to the server. */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  /** `behind`: entries that happened and have not arrived yet. */
  | { readonly kind: 'live'; readonly behind: number }
  | { readonly kind: 'lost' }
  /** The server rejected the request. The page does not retry. */
  | { readonly kind: 'refused'; readonly error: RefusedError };

/** The callbacks of the reader of a stream. */
export interface StreamReader {
  state(state: ConnectionState): void;
  /** The workspace, the name of its journal, and whether the stream continues the last one. If not, the journal starts again. */
  start(start: { readonly workspaceId: string; readonly resumed: boolean; readonly journal: string }): void;
  entry(entry: Entry): void;
  /** The server dropped this many entries before they could be read. */
  missed(count: number): void;
  /** A reset removed all entries. */
  cleared(): void;
  /** Something other than the journal changed. Without kinds, it may be anything. */
  changed(kinds?: readonly ChangeKind[]): void;
}

/** How long to wait before connecting again. In milliseconds. */
const reconnectAfter = 1_000;

/**
 * Reads the journal from its beginning and follows it: each entry once and in order, even if the connection breaks. Ends when
 * the signal aborts or the server rejects the request.
 */
export async function readStream(surface: Surface, reader: StreamReader, signal: AbortSignal): Promise<void> {
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    try {
      const { method, path } = control.journal.follow;
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      const response = await surface.send(method, path, { query: { since: '0' } }, { headers, signal });
      await readEvents(response, reader, (id) => {
        lastEventId = id;
      });
    } catch (error) {
      if (error instanceof RefusedError && isFinal(error)) return reader.state({ kind: 'refused', error });
    }
    if (signal.aborted) return;
    reader.state({ kind: 'lost' });
    await new Promise((resolve) => setTimeout(resolve, reconnectAfter));
  }
}

/** A server that is down, starting or busy can respond later. */
function isFinal({ status = 503 }: RefusedError): boolean {
  return status < 500 && status !== 429;
}

async function readEvents(
  { body }: Response,
  reader: StreamReader,
  received: (id: string) => void,
): Promise<void> {
  if (body === null) return;
  let latest = 0;
  const onEvent = ({ event, id, data }: EventSourceMessage) => {
    const told = JSON.parse(data);
    switch (event) {
      case 'start':
        latest = told.latest;
        // An id is the name of the journal and a number.
        reader.start({ ...told, journal: id?.replace(/-\d+$/, '') ?? '' });
        break;
      case 'entry':
        reader.entry(told);
        break;
      case 'missed':
        reader.missed(told.count);
        break;
      case 'cleared':
        reader.cleared();
        break;
      case 'changed':
        reader.changed(told.kinds);
        break;
    }
    if (id === undefined) return;
    received(id);
    // An id ends with the number of the last entry up to which the page has the whole journal.
    const number = Number(id.slice(id.lastIndexOf('-') + 1));
    if (event === 'start' || number <= latest)
      reader.state({ kind: 'live', behind: Math.max(0, latest - number) });
  };
  const { feed } = createParser({ onEvent });
  const texts = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await texts.read(); !next.done; next = await texts.read()) feed(next.value);
}
