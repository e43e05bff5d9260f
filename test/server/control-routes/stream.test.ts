import { get } from 'node:http';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ReferenceServer, ReferenceWorkspace } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { field, phone, startServer } from '../support/reference.js';
import { control, dataOf } from './support.js';

/** An event of a stream, its data read. */
interface StreamEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: unknown;
}

interface Followed extends AsyncIterator<StreamEvent, undefined> {
  /** The next events. */
  take(count: number): Promise<readonly StreamEvent[]>;
  /** Disconnects. */
  leave(): Promise<void>;
}

async function followResponse(response: Response): Promise<Followed> {
  if (response.body === null) throw new Error('There is no body.');
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async (): Promise<IteratorResult<StreamEvent, undefined>> => {
    const { done, value } = await reader.read();
    if (done) return { done: true, value: undefined };
    const { event, id, data } = value;
    return { done: false, value: { event, id, data: JSON.parse(data) } };
  };
  return {
    next,
    async take(count) {
      const events: StreamEvent[] = [];
      while (events.length < count) {
        const { done, value } = await next();
        if (done === true) throw new Error(`The stream ended after ${events.length} events.`);
        events.push(value);
      }
      return events;
    },
    leave: () => reader.cancel(),
  };
}

/** Follows a workspace without a socket. */
async function follow(
  server: ReferenceServer,
  lastEventId?: string,
  { apiKey }: Pick<ReferenceWorkspace, 'apiKey'> = server,
  query = '',
): Promise<Followed> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
  };
  const response = await server.fetch(new Request(`http://localhost/control/stream${query}`, { headers }));
  expect(response.status).toBe(200);
  return followResponse(response);
}

const say = (server: ReferenceServer, body: string) => server.simulate.inboundMessage({ phone, body });
const bodies = (events: readonly StreamEvent[]) => events.map(({ data }) => field(data, 'body'));

/** The entries among the events: what changes beside them is told too. */
async function entries(followed: Followed, count: number): Promise<readonly StreamEvent[]> {
  const found: StreamEvent[] = [];
  while (found.length < count) {
    const [event] = await followed.take(1);
    if (event?.event === 'entry') found.push(event);
  }
  return found;
}

/** Resolves when nobody follows: whoever follows and waits has a timer. */
async function noTimer(machine: ManualClock): Promise<void> {
  while (machine.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('the stream', () => {
  test('begins with where it starts, and tells of each entry from then on, with its number', async () => {
    const server = startServer();
    await say(server, 'before');
    const followed = await follow(server);
    expect(await followed.take(1)).toMatchObject([
      { event: 'start', data: { workspaceId: server.id, resumed: false, after: 1, latest: 1 } },
    ]);
    await say(server, 'one');
    await say(server, 'two');
    const told = await entries(followed, 2);
    expect(told.map(({ data }) => data)).toMatchObject([
      { number: 2, type: 'message', body: 'one' },
      { number: 3, type: 'message', body: 'two' },
    ]);
    const { body } = await control(server)('GET', '/journal?since=1');
    expect(told.map(({ data }) => data)).toEqual(dataOf(body));
    await followed.leave();
  });

  test('says by its headers that it is one, and that nobody is to keep it or hold it back', async () => {
    const server = startServer();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const response = await server.fetch(new Request('http://localhost/control/stream', { headers }));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await response.body?.cancel();
  });

  test('goes on after the last event that the client has, with nothing lost and nothing twice', async () => {
    const server = startServer();
    const first = await follow(server);
    await say(server, 'one');
    const [one] = await entries(first, 1);
    await first.leave();
    await say(server, 'two');
    await say(server, 'three');
    const second = await follow(server, one?.id);
    expect(await second.take(1)).toMatchObject([{ event: 'start', data: { resumed: true, after: 1 } }]);
    await say(server, 'four');
    expect(bodies(await entries(second, 3))).toEqual(['two', 'three', 'four']);
    await second.leave();
  });

  test('survives twenty cut connections with each entry once and in order', async () => {
    const server = startServer();
    const seen: unknown[] = [];
    let lastId: string | undefined;
    for (let cut = 0; cut < 20; cut += 1) {
      const followed = await follow(server, lastId, server, lastId === undefined ? '?since=0' : '');
      await say(server, `${cut} a`);
      await say(server, `${cut} b`);
      // One of the two is read, and the next connection begins with the other.
      const told = await entries(followed, cut === 0 ? 1 : 2);
      seen.push(...bodies(told));
      lastId = told.at(-1)?.id;
      await followed.leave();
    }
    const rest = await follow(server, lastId);
    seen.push(...bodies(await entries(rest, 1)));
    await rest.leave();
    expect(seen).toEqual(Array.from({ length: 20 }, (_, cut) => [`${cut} a`, `${cut} b`]).flat());
  });

  test('begins after an entry by its number, for a client that cannot send the header', async () => {
    const server = startServer();
    await say(server, 'one');
    await say(server, 'two');
    const followed = await follow(server, undefined, server, '?since=1');
    expect(bodies(await entries(followed, 1))).toEqual(['two']);
    await followed.leave();
  });

  test('takes an id of another run of the server, or one that is none, for no id', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    await say(server, 'one');
    for (const id of ['0-0', 'nonsense', '', `${(machine.now() + 1).toString(36)}-0`]) {
      const followed = await follow(server, id);
      expect(await followed.take(1)).toMatchObject([{ data: { resumed: false, after: 1 } }]);
      await followed.leave();
    }
  });

  test('says how many entries the journal dropped before a slow client read them', async () => {
    const server = startServer();
    const followed = await follow(server, undefined, server, '?since=0');
    for (let message = 1; message <= 10_005; message += 1) await say(server, String(message));
    const told: StreamEvent[] = [];
    while (told.at(-1)?.event !== 'missed') told.push(...(await followed.take(1)));
    const read = told.filter(({ event }) => event === 'entry').length;
    const missed = Number(field(told.at(-1)?.data, 'count'));
    expect(read + missed).toBe(5);
    expect(await entries(followed, 1)).toMatchObject([{ data: { number: 6, body: '6' } }]);
    await followed.leave();
  });

  test('says that a reset removed all entries, and goes on with the next number', async () => {
    const server = startServer();
    await say(server, 'before');
    const followed = await follow(server, undefined, server, '?since=0');
    await followed.take(2);
    await say(server, 'one more');
    await server.reset();
    await say(server, 'after');
    const told: StreamEvent[] = [];
    while (field(told.at(-1)?.data, 'body') !== 'after') told.push(...(await followed.take(1)));
    const names = told.map(({ event }) => event).filter((event) => event !== 'changed');
    expect(names.slice(-2)).toEqual(['cleared', 'entry']);
    expect(told.at(-1)?.data).toMatchObject({ number: 3 });
    await followed.leave();
  });

  test('tells of what changes and is no entry: contacts, the clock, faults, the quota', async () => {
    const server = startServer();
    const snapshot = await server.snapshot();
    const changes: readonly (() => Promise<unknown> | unknown)[] = [
      () => server.clock.advance('1h'),
      () => server.faults.add({ operation: 'any', fault: { kind: 'malformed_json' } }),
      () => server.quota.set({ quota: 5 }),
      () => server.restore(snapshot),
    ];
    for (const change of changes) {
      const followed = await follow(server);
      await followed.take(1);
      await change();
      expect(await followed.take(1)).toMatchObject([{ event: 'changed', id: undefined }]);
      await followed.leave();
    }
  });

  test('shows that it is alive while nothing happens', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const response = await server.fetch(new Request('http://localhost/control/stream', { headers }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    const alive = reader?.read();
    while (machine.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    machine.pass(15_000);
    expect((await alive)?.value).toBe(': nothing happened\n\n');
    await reader?.cancel();
    await noTimer(machine);
  });

  test('shows no other workspace, no signing secret and no key', async () => {
    const server = startServer();
    const other = server.workspace();
    const followed = await follow(server, undefined, other);
    await followed.take(1);
    await say(server, 'not yours');
    await other.client.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['message.received'] });
    const told = JSON.stringify(await entries(followed, 1));
    expect(told).toContain('webhooks.create');
    expect(told).not.toContain('not yours');
    expect(told).not.toMatch(/whsec_[^*]/);
    expect(told).not.toContain(other.apiKey);
    await followed.leave();
  });

  test('ends with its workspace, and with its client, and then leaves nothing behind', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    const workspace = server.workspace();
    const ending = await follow(server, undefined, workspace);
    await ending.take(1);
    await workspace.close();
    let last = await ending.next();
    while (last.done !== true) last = await ending.next();
    // As many as may follow at once, again and again: each that is left makes room.
    for (let round = 0; round < 3; round += 1) {
      const many = await Promise.all(Array.from({ length: 100 }, () => follow(server)));
      await Promise.all(many.map((followed) => followed.leave()));
      await noTimer(machine);
    }
  });

  test('answers HEAD with its headers alone, and refuses what it does not know', async () => {
    const server = startServer();
    const ask = control(server);
    expect((await ask('HEAD', '/stream')).status).toBe(200);
    expect((await ask('GET', '/stream?sinse=1')).body).toMatchObject({
      error: { details: [{ field: 'sinse' }] },
    });
    expect((await ask('GET', '/stream', undefined, { authorization: undefined })).status).toBe(401);
  });
});

describe('the stream over a socket', () => {
  test('arrives event by event, and is given up when the connection is cut', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    const { url } = await server.listen();
    const abort = new AbortController();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const followed = await followResponse(
      await fetch(`${url}/control/stream`, { headers, signal: abort.signal }),
    );
    await followed.take(1);
    await say(server, 'over the wire');
    expect(bodies(await entries(followed, 1))).toEqual(['over the wire']);
    abort.abort();
    await noTimer(machine);
  });

  test('holds nothing up for a client that does not read', async () => {
    const server = startServer();
    const { url } = await server.listen();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const request = get(`${url}/control/stream?since=0`, { headers });
    request.on('error', () => {});
    await new Promise<void>((resolve) => {
      request.once('response', (response) => {
        response.pause();
        resolve();
      });
    });
    const text = 'x'.repeat(4_000);
    for (let message = 0; message < 2_000; message += 1) await say(server, text);
    await server.settled();
    expect(await server.journal.entries()).toHaveLength(2_000);
    request.destroy();
  });

  test('ends when the server closes', async () => {
    const server = startServer();
    const { url } = await server.listen();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const followed = await followResponse(await fetch(`${url}/control/stream`, { headers }));
    await followed.take(1);
    const ended = followed.next();
    await server.close();
    expect((await ended).done).toBe(true);
  });
});
