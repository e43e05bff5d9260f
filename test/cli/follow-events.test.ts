import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followEvents } from '../../src/cli/running-server/follow-events.js';
import { control } from '../../src/cli/running-server/operations.js';
import { controlClientOf } from '../../src/cli/running-server/options.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { FakeTerminal } from './fake-terminal.js';
import { serveRequests } from './http-servers.js';

const silenceLimit = 45_000;

/** Waits for what comes at once when the code works. */
const eventually = <Value>(read: () => Value, message?: string) =>
  expect.poll(read, { interval: 5, timeout: 5_000, ...(message !== undefined && { message }) });

/** Follows a stream that the test writes by hand. `statuses` are those of the first connections; all others get 200. */
async function follow({ statuses = [] }: { statuses?: number[] } = {}) {
  /** The connections that the server got, and the id after which each is to go on. */
  const connections: { readonly response: ServerResponse; readonly lastEventId: string | undefined }[] = [];
  const url = await serveRequests((request, response) => {
    const status = statuses.shift() ?? 200;
    if (request.url === '/control') return void response.end('{"operations":[]}');
    if (status !== 200) return void response.writeHead(status).end('Not now.');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    connections.push({ response, lastEventId: request.headers['last-event-id']?.toString() });
  });
  const surface = controlClientOf(new FakeTerminal(), { url, apiKey: 'test_key' });
  const clock = new ManualClock();
  const timers = vi.spyOn(clock, 'setTimer');
  const stopping = new AbortController();
  const complaints: string[] = [];
  const events = followEvents(surface, {
    signal: stopping.signal,
    terminal: { clock, complain: (text) => complaints.push(text.replace(url, 'SERVER')) },
    again: (start) => `Reconnected: ${JSON.stringify(start)}\n`,
    open: (signal, lastEventId) => surface.stream(control.journal.follow, { signal, lastEventId }),
  });
  const seen: unknown[] = [];
  const ended = (async () => {
    for await (const { name, data } of events) seen.push(name === 'entry' ? data : name);
    return 'ended';
  })().catch((error: unknown) => String(error));
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  const delaysWithout = (length: number) =>
    timers.mock.calls.map(([, delay]) => delay).filter((delay) => delay !== length);
  return {
    clock,
    connections,
    complaints,
    seen,
    ended,
    stop: () => stopping.abort(),
    /** How often the limit for silence has begun. */
    signsOfLife: () => timers.mock.calls.filter(([, delay]) => delay === silenceLimit).length,
    /** The pauses between two tries, in order. */
    pauses: () => delaysWithout(silenceLimit),
    /** Resolves with a connection once it is there. */
    async connection(number: number): Promise<ServerResponse> {
      await eventually(() => connections.length, 'connections').toBe(number);
      const { response } = connections[number - 1] ?? expect.fail('There is no such connection.');
      return response;
    },
    /** Cuts a connection, and lets the pause after it pass. */
    async cut(response: ServerResponse, pause: number) {
      const before = delaysWithout(silenceLimit).length;
      response.destroy();
      await eventually(() => delaysWithout(silenceLimit).length, 'pauses').toBe(before + 1);
      clock.pass(pause);
    },
  };
}

/** The same, with a first connection whose stream has started. */
async function followStarted(options: Parameters<typeof follow>[0] = {}) {
  const stream = await follow(options);
  const first = await stream.connection(1);
  first.write(started);
  await eventually(() => stream.seen).toEqual(['start']);
  return { ...stream, first };
}

const started = 'event: start\ndata: {}\n\n';
const entry = (id: number) => `id: ${id}\nevent: entry\ndata: ${id}\n\n`;
const lost = 'Lost the connection to SERVER. Reconnecting.\n';

test('idle comments keep a quiet stream open, however long nothing happens', async () => {
  const stream = await followStarted();
  const response = stream.first;
  for (const minute of [1, 2, 3]) {
    const before = stream.signsOfLife();
    response.write(':\n\n');
    await eventually(stream.signsOfLife, `comment ${minute}`).toBe(before + 1);
    stream.clock.pass(silenceLimit - 1);
  }
  response.write(entry(1));
  await eventually(() => stream.seen).toEqual(['start', 1]);
  expect(stream.complaints).toEqual([]);
  expect(stream.connections).toHaveLength(1);
});

test('a stream that is silent for 45 s is opened again', async () => {
  const stream = await followStarted();
  stream.clock.pass(silenceLimit - 1);
  expect(stream.complaints).toEqual([]);
  stream.clock.pass(1);
  await eventually(() => stream.complaints).toEqual([lost]);
});

test('continues after the last event with an id, without the event that a cut tore', async () => {
  const stream = await follow();
  const first = await stream.connection(1);
  first.write(started + entry(7));
  first.write('event: note\ndata: {}\n\n');
  await eventually(() => stream.seen).toEqual(['start', 7, 'note']);
  first.write('id: 8\nevent: entry\ndata: 8');
  await stream.cut(first, 1_000);
  const second = await stream.connection(2);
  second.write(`event: start\ndata: {"resumed":true}\n\n${entry(8)}`);
  await eventually(() => stream.seen).toEqual(['start', 7, 'note', 'start', 8]);
  expect(stream.connections.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '7']);
  expect(stream.complaints).toEqual([lost, 'Reconnected: {"resumed":true}\n']);
});

test('reads an event that comes in parts, cut within a character', async () => {
  const stream = await follow();
  const response = await stream.connection(1);
  const bytes = Buffer.from('event: entry\ndata: "Grüße"\n\n');
  response.write(bytes.subarray(0, bytes.indexOf('ü') + 1));
  response.write(bytes.subarray(bytes.indexOf('ü') + 1));
  await eventually(() => stream.seen).toEqual(['Grüße']);
});

test('tries again with pauses of 1 s and then 2 s, also after 429 and 503, and complains once', async () => {
  const statuses: number[] = [];
  const stream = await followStarted({ statuses });
  statuses.push(429, 503, 429);
  await stream.cut(stream.first, 1_000);
  for (const attempts of [2, 3, 4]) {
    await eventually(stream.pauses, 'pauses').toHaveLength(attempts);
    stream.clock.pass(2_000);
  }
  const second = await stream.connection(2);
  second.write(started);
  await eventually(() => stream.seen).toEqual(['start', 'start']);
  expect(stream.pauses()).toEqual([1_000, 2_000, 2_000, 2_000]);
  expect(stream.complaints).toEqual([lost, 'Reconnected: {}\n']);
  await stream.cut(second, 0);
  expect(stream.pauses().at(-1)).toBe(1_000);
});

test('pauses as long as the server asks', async () => {
  const stream = await follow();
  const first = await stream.connection(1);
  first.write(`retry: 7000\n${started}`);
  await eventually(() => stream.seen).toEqual(['start']);
  await stream.cut(first, 7_000);
  await stream.cut(await stream.connection(2), 7_000);
  await stream.connection(3);
  expect(stream.pauses()).toEqual([7_000, 7_000]);
});

test.each(['a stream that is quiet', 'a pause between two tries'])(
  'a stop ends %s at once',
  async (where) => {
    const stream = await followStarted();
    if (where !== 'a stream that is quiet') await stream.cut(stream.first, 0);
    stream.stop();
    expect(await stream.ended).toBe('ended');
    expect(stream.clock.waiting).toBe(0);
    expect(stream.seen).toEqual(['start']);
  },
);
