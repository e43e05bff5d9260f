import { createParser } from 'eventsource-parser';
import type { ChangeKind } from '../../server/model/change.js';
import type { FailedTest } from '../../server/subjects/operation.js';
import type { EntryJson } from '../surface/entry.js';
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

/** What a stream says at its start. */
interface StreamStart {
  readonly workspaceId: string;
  readonly failedTest?: FailedTest;
}

/** The callbacks of the reader of a stream. */
export interface StreamReader {
  state(state: ConnectionState): void;
  /** The workspace, the name of its journal, and whether the stream continues the last one. If not, the journal starts again. */
  start(start: StreamStart & { readonly resumed: boolean; readonly journal: string }): void;
  entry(entry: EntryJson): void;
  /** The server dropped this many entries before they could be read. */
  missed(count: number): void;
  /** A reset removed all entries. */
  cleared(): void;
  /** Something other than the journal changed. Without kinds, it may be anything. */
  changed(kinds?: readonly ChangeKind[]): void;
}

/** An event of the stream, as the server tells it. */
export interface Told {
  readonly event?: string | undefined;
  /** The name of the journal and the number of the last entry in the stream so far. */
  readonly id?: string | undefined;
  readonly data: string;
}

/** Takes what a stream tells. */
export interface StreamListener {
  /** The id of the last event, after which a stream goes on. */
  readonly lastEventId: string | undefined;
  take(told: Told): void;
  state(state: ConnectionState): void;
}

/** How far a tab has read the journal: its reader gets each entry once and in order, whichever tab received it. */
export class Progress implements StreamListener {
  readonly #reader: StreamReader;
  #journal: string | undefined;
  /** The number of the last entry up to which the tab has the whole journal. */
  #number = 0;
  /** The number of the newest entry when the stream began. */
  #latest = 0;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  get lastEventId(): string | undefined {
    return this.#journal === undefined ? undefined : `${this.#journal}-${this.#number}`;
  }

  /** Whether the tab has all that had happened when the stream began. */
  get isCurrent(): boolean {
    return this.#journal !== undefined && this.#number >= this.#latest;
  }

  state(state: ConnectionState): void {
    this.#reader.state(state);
  }

  /** Whether the tab has everything up to this id. */
  has(id: string | undefined): boolean {
    const { journal, number } = positionOf(id);
    return journal === undefined || (journal === this.#journal && number <= this.#number);
  }

  take({ event, id, data }: Told): void {
    if (event !== 'start' && id !== undefined && this.has(id)) return;
    const told = JSON.parse(data);
    if (event === 'start') this.#start(told, positionOf(id));
    else if (event === 'entry') this.#reader.entry(told);
    else if (event === 'missed') this.#reader.missed(told.count);
    else if (event === 'cleared') this.#reader.cleared();
    else if (event === 'changed') this.#reader.changed(told.kinds);
    if (id === undefined) return;
    if (event !== 'start') this.#number = positionOf(id).number;
    if (event === 'start' || this.#number <= this.#latest)
      this.#reader.state({ kind: 'live', behind: Math.max(0, this.#latest - this.#number) });
  }

  #start(told: StreamStart & { readonly latest: number }, position: Position): void {
    const { journal = '', number } = position;
    const resumed = journal === this.#journal;
    this.#latest = told.latest;
    if (!resumed) this.#number = number;
    this.#journal = journal;
    this.#reader.start({ ...told, journal, resumed });
  }
}

interface Position {
  readonly journal: string | undefined;
  readonly number: number;
}

/** What an id says. */
function positionOf(id = ''): Position {
  const [, journal, number] = /^(.*)-(\d+)$/.exec(id) ?? [];
  return { journal, number: Number(number) };
}

/** How long to wait before connecting again. In milliseconds. */
const reconnectAfter = 1_000;

/** Reads the journal from its beginning and follows it. */
export function followAlone(surface: Surface, reader: StreamReader, signal: AbortSignal): Promise<void> {
  return readStream(surface, new Progress(reader), signal);
}

/** Reads what follows the last event, even if the connection breaks. Ends when the signal aborts or the server rejects the request. */
export async function readStream(
  surface: Surface,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { method, path } = control.journal.follow;
      const { lastEventId } = listener;
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      const response = await surface.send(method, path, { query: { since: '0' } }, { headers, signal });
      await readEvents(response, listener);
    } catch (error) {
      if (error instanceof RefusedError && isFinal(error)) return listener.state({ kind: 'refused', error });
    }
    if (signal.aborted) return;
    listener.state({ kind: 'lost' });
    await new Promise((resolve) => setTimeout(resolve, reconnectAfter));
  }
}

/** A server that is down, starting or busy can respond later. */
function isFinal({ status = 503 }: RefusedError): boolean {
  return status < 500 && status !== 429;
}

async function readEvents({ body }: Response, listener: StreamListener): Promise<void> {
  if (body === null) return;
  const { feed } = createParser({ onEvent: (told) => listener.take(told) });
  const texts = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await texts.read(); !next.done; next = await texts.read()) feed(next.value);
}
