import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ReferenceServer, ReferenceWorkspace } from 'messaging-automation/server';
import { within } from '../../waiting.js';

/** An event of a stream. */
export interface StreamEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Reads a stream of server-sent events. */
export function readStream({ body }: Response) {
  if (body === null) throw new Error('There is no body.');
  const comments: string[] = [];
  const retries: number[] = [];
  const onComment = (comment: string) => void comments.push(comment);
  const onRetry = (retry: number) => void retries.push(retry);
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onComment, onRetry }))
    .getReader();
  const next = async (): Promise<StreamEvent | undefined> => {
    const { done, value } = await within('the next event of the stream', reader.read(), () => comments);
    if (done) return undefined;
    return { event: value.event, id: value.id, data: JSON.parse(value.data) };
  };
  const take = async (count: number, isWanted = (_: StreamEvent) => true) => {
    const events: StreamEvent[] = [];
    while (events.length < count) {
      const event = await next();
      if (event === undefined) throw new Error(`The stream ended after ${events.length} events.`);
      if (isWanted(event)) events.push(event);
    }
    return events;
  };
  return {
    comments,
    /** How long the server asks the client to wait before it connects again, in milliseconds. */
    retries,
    /** The next event. Undefined at the end. */
    next,
    take: (count: number) => take(count),
    /** The next journal entries. Skips the notices of other changes. */
    entries: (count: number) => take(count, ({ event }) => event === 'entry'),
    leave: () => reader.cancel(),
  };
}

/** Requests a stream of the control surface, without a socket. */
export function requestStream(
  server: ReferenceServer,
  path = '/stream',
  {
    lastEventId,
    workspace = server,
    method = 'GET',
  }: {
    readonly lastEventId?: string | undefined;
    readonly workspace?: Pick<ReferenceWorkspace, 'apiKey'>;
    readonly method?: string;
  } = {},
): Promise<Response> {
  const headers = {
    Authorization: `Bearer ${workspace.apiKey}`,
    ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
  };
  return server.fetch(new Request(`http://localhost/control${path}`, { method, headers }));
}
