import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Writable } from 'node:stream';

/** What the receiver does behind a reader: it has the whole body, or names the reader. */
export type Outcome = 'handled' | 'consumed';

/** Something ahead of a receiver that reads the body, or a part of it. */
export interface Reader<Request> {
  readonly name: string;
  read(request: Request): unknown;
  /** With 100 bytes, which come in one piece, and with 300 kB, which come in many. */
  readonly outcome: Outcome | { readonly small: Outcome; readonly large: Outcome };
  /** Whether it destroys a large request, so that no response can reach the sender. */
  readonly destroys?: true;
}

/** Takes the first piece that is written to it, and then nothing more. */
const stuck = () => new Writable({ highWaterMark: 1, write: () => undefined });

/** Readers of a request of node:http. */
export const readersOfStream: readonly Reader<IncomingMessage>[] = [
  { name: 'reads it whole', outcome: 'consumed', read: (request) => once(request.resume(), 'end') },
  { name: "waits for once('data')", outcome: 'consumed', read: (request) => once(request, 'data') },
  {
    name: 'reads a piece and pauses',
    outcome: 'consumed',
    async read(request) {
      await once(request, 'data');
      request.pause();
    },
  },
  {
    name: 'listens, and pauses a turn later',
    outcome: 'consumed',
    async read(request) {
      request.on('data', () => setImmediate(() => request.pause()));
      await once(request, 'data');
    },
  },
  {
    name: 'listens, and stops listening later',
    outcome: 'consumed',
    async read(request) {
      const listen = () => setImmediate(() => request.off('data', listen));
      request.on('data', listen);
      await once(request, 'data');
    },
  },
  {
    name: 'is piped to something fast',
    outcome: 'consumed',
    async read(request) {
      request.pipe(new PassThrough().resume());
      await once(request, 'data');
    },
  },
  {
    name: 'is piped to something that takes one piece',
    outcome: 'consumed',
    async read(request) {
      request.pipe(stuck());
      await once(request, 'data');
    },
  },
  {
    name: 'is piped and unpiped',
    outcome: 'consumed',
    async read(request) {
      const target = request.pipe(new PassThrough().resume());
      await once(request, 'data');
      request.unpipe(target);
    },
  },
  {
    name: 'breaks off an iteration',
    outcome: 'consumed',
    destroys: true,
    async read(request) {
      for await (const _ of request) break;
    },
  },
  {
    name: 'breaks off an iteration and keeps the stream',
    outcome: 'consumed',
    async read(request) {
      for await (const _ of request.iterator({ destroyOnReturn: false })) break;
    },
  },
  {
    name: 'takes one step of an iteration',
    outcome: 'consumed',
    read: (request) => request.iterator().next(),
  },
  {
    name: 'takes ten bytes',
    outcome: 'consumed',
    async read(request) {
      await once(request, 'readable');
      request.read(10);
    },
  },
  { name: 'decodes it', outcome: 'consumed', read: (request) => request.setEncoding('utf8') },
  {
    name: 'keeps its first piece as rawBody',
    outcome: { small: 'handled', large: 'consumed' },
    async read(request) {
      const [rawBody] = await once(request, 'data');
      Object.assign(request, { rawBody });
    },
  },
  { name: 'pauses it unread', outcome: 'handled', read: (request) => request.pause() },
  {
    name: 'listens from the start',
    outcome: 'handled',
    read: (request) => request.on('data', () => undefined),
  },
  {
    name: "listens with once('data') from the start",
    outcome: 'handled',
    read: (request) => request.once('data', () => undefined),
  },
  {
    name: 'pauses at its first piece from the start',
    outcome: 'handled',
    read: (request) => request.once('data', () => request.pause()),
  },
  {
    name: 'is piped from the start to something that takes one piece',
    outcome: 'handled',
    read: (request) => request.pipe(stuck()),
  },
];

/** The part of a Fetch request that the readers use. */
type ReadRequest = Pick<Request, 'arrayBuffer' | 'clone' | 'body'>;

/** Readers of a request of Fetch. */
export const readersOfRequest: readonly Reader<ReadRequest>[] = [
  { name: 'reads it whole', outcome: 'consumed', read: (request) => request.arrayBuffer() },
  { name: 'locks it', outcome: 'consumed', read: (request) => request.body?.getReader() },
  {
    name: 'reads a piece and keeps the lock',
    outcome: 'consumed',
    read: (request) => request.body?.getReader().read(),
  },
  {
    name: 'reads a piece and lets go',
    outcome: 'consumed',
    async read(request) {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.releaseLock();
    },
  },
  {
    name: 'breaks off an iteration',
    outcome: 'consumed',
    destroys: true,
    async read({ body }) {
      for await (const _ of body ?? []) break;
    },
  },
  {
    name: 'breaks off an iteration and keeps the stream',
    outcome: 'consumed',
    async read({ body }) {
      for await (const _ of body?.values({ preventCancel: true }) ?? []) break;
    },
  },
  {
    name: 'is piped elsewhere',
    outcome: 'consumed',
    // The end of its test ends it, too.
    read: (request) => void request.body?.pipeTo(new WritableStream()).catch(() => {}),
  },
  { name: 'tees it', outcome: 'consumed', read: (request) => request.body?.tee() },
  { name: 'reads a copy', outcome: 'handled', read: (request) => request.clone().arrayBuffer() },
  {
    name: 'reads a piece of a copy',
    outcome: 'handled',
    read: (request) => request.clone().body?.getReader().read(),
  },
];
