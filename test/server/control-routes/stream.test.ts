import { get } from 'node:http';
import type { ReferenceServer, ReferenceWorkspace } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { until, within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { field, phone, startServer } from '../support/reference.js';
import { readStream, requestStream, type StreamEvent } from './event-stream.js';
import { control, dataOf, startWithControl } from './support.js';

const follow = async (...request: Parameters<typeof requestStream>) => {
  const response = await requestStream(...request);
  expect(response.status).toBe(200);
  // No cache and no proxy holds back what the server sends.
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  return readStream(response);
};

const say = (server: ReferenceServer, body: string) => server.simulate.inboundMessage({ phone, body });
const bodies = (events: readonly StreamEvent[]) => events.map(({ data }) => field(data, 'body'));

describe('the stream', () => {
  test('starts with its position, and sends each new entry with its number', async () => {
    const server = startServer();
    await say(server, 'before');
    const stream = await follow(server);
    expect(await stream.take(1)).toMatchObject([
      { event: 'start', data: { workspaceId: server.id, resumed: false, after: 1, latest: 1 } },
    ]);
    expect(stream.retries).toEqual([1_000]);
    await say(server, 'one');
    await say(server, 'two');
    const entries = (await stream.entries(2)).map(({ data }) => data);
    expect(entries).toMatchObject([
      { number: 2, type: 'message', body: 'one' },
      { number: 3, type: 'message', body: 'two' },
    ]);
    const { body } = await control(server)('GET', '/journal?since=1');
    expect(entries).toEqual(dataOf(body));
    await stream.leave();
  });

  test('resumes after Last-Event-ID, also if the URL has since', async () => {
    const server = startServer();
    const first = await follow(server, '/stream?since=0');
    await say(server, 'one');
    const [one] = await first.entries(1);
    await first.leave();
    await say(server, 'two');
    await say(server, 'three');
    const second = await follow(server, '/stream?since=0', { lastEventId: one?.id });
    expect(await second.take(1)).toMatchObject([{ event: 'start', data: { resumed: true, after: 1 } }]);
    await say(server, 'four');
    const rest = await second.entries(3);
    expect(bodies(rest)).toEqual(['two', 'three', 'four']);
    await second.leave();
    const third = await follow(server, '/stream?since=0', { lastEventId: rest.at(-1)?.id });
    await say(server, 'five');
    expect(bodies(await third.entries(1))).toEqual(['five']);
    await third.leave();
  });

  test('ignores an invalid Last-Event-ID, and one of another run of the server', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    await say(server, 'one');
    for (const lastEventId of ['0-0', 'nonsense', '', `${(machine.now() + 1).toString(36)}-0`]) {
      const stream = await follow(server, '/stream', { lastEventId });
      expect(await stream.take(1)).toMatchObject([{ data: { resumed: false, after: 1 } }]);
      await stream.leave();
    }
  });

  test('reports a reset once, and continues with the next number', async () => {
    const server = startServer();
    await say(server, 'before');
    const stream = await follow(server, '/stream?since=0');
    await stream.take(2);
    await say(server, 'one more');
    await server.reset();
    const events: StreamEvent[] = [];
    while (events.at(-1)?.event !== 'cleared') events.push(...(await stream.take(1)));
    await stream.leave();
    await say(server, 'after');
    const resumed = await follow(server, '/stream', { lastEventId: events.at(-1)?.id });
    const [start, next] = await resumed.take(2);
    expect([start, next]).toMatchObject([
      { event: 'start', data: { resumed: true, after: 2 } },
      { event: 'entry', data: { number: 3, body: 'after' } },
    ]);
    await resumed.leave();
  });

  test('names what changed besides the entries, in this workspace alone', async () => {
    const server = startServer();
    const snapshot = await server.snapshot();
    const other = server.workspace();
    await other.settled();
    const changes: readonly [kind: string, change: () => Promise<unknown> | unknown][] = [
      ['clock', () => server.clock.advance('1h')],
      ['faults', () => server.faults.add({ operation: 'any', fault: { kind: 'malformed_json' } })],
      ['sends', () => server.quota.set({ quota: 5 })],
      ['specGaps', () => server.specGaps.set({ unknownIdStatus: 410 })],
      ['specGaps', () => server.receiver.set({ mode: 'error' })],
      ['templates', () => server.templates.put({ id: 'hello', body: 'Hello' })],
      ['keys', () => server.keys.issue()],
      ['workspaces', () => server.workspace().settled()],
    ];
    const isInJournal = new Set(changes.map(([kind]) => kind).filter((kind) => kind !== 'workspaces'));
    for (const [kind, change] of changes) {
      const stream = await follow(server);
      await stream.take(1);
      await other.quota.set({ quota: 1 });
      await other.templates.put({ id: 'other', body: 'Hello' });
      await change();
      const told = await stream.take(isInJournal.has(kind) ? 2 : 1);
      const changed = told.find(({ event }) => event === 'changed');
      expect(changed).toMatchObject({ event: 'changed', id: undefined });
      const kinds = field(changed?.data, 'kinds');
      expect(kinds).toEqual([kind]);
      await stream.leave();
    }
    const stream = await follow(server);
    await server.restore(snapshot);
    const isAnything = ({ event, data }: StreamEvent) =>
      event === 'changed' && field(data, 'kinds') === undefined;
    for (let [next] = await stream.take(1); next !== undefined && !isAnything(next); )
      [next] = await stream.take(1);
    await stream.leave();
  });

  test('sends a comment after 15 silent seconds, and not in the middle of entries', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    const stream = await follow(server);
    await stream.take(1);
    let next = stream.entries(1);
    await machine.waitFor(1);
    for (const body of ['one', 'two', 'three']) {
      machine.pass(14_999);
      await say(server, body);
      expect(bodies(await next)).toEqual([body]);
      next = stream.entries(1);
      await machine.waitFor(1);
    }
    expect(stream.comments).toEqual([]);
    machine.pass(15_000);
    await until('a comment', () => stream.comments.length > 0);
    expect(stream.comments).toEqual(['nothing happened']);
    next.catch(() => {}); // it ends without an entry
    await stream.leave();
    await machine.waitFor(0);
  });

  test('contains no other workspace, no signing secret and no key', async () => {
    const server = startServer();
    const other = server.workspace();
    const stream = await follow(server, '/stream', { workspace: other });
    await stream.take(1);
    await say(server, 'not yours');
    await other.client.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['message.received'] });
    const text = JSON.stringify(await stream.entries(1));
    expect(text).toContain('webhooks.create');
    expect(text).not.toContain('not yours');
    expect(text).not.toMatch(/whsec_[^*]/);
    expect(text).not.toContain(other.apiKey);
    await stream.leave();
  });

  test.each<[string, (workspace: ReferenceWorkspace, apiKey: string) => Promise<unknown>]>([
    ['revoked', ({ keys }, apiKey) => keys.revoke(apiKey)],
    ['rotated', ({ keys }, apiKey) => keys.rotate(apiKey)],
  ])('ends when its key is %s, and sends nothing of what happens then', async (_, end) => {
    const server = startServer();
    const workspace = server.workspace();
    const apiKey = await workspace.keys.issue();
    const stream = await follow(server, '/stream', { workspace: { apiKey } });
    const other = await follow(server, '/stream', { workspace });
    await stream.take(1);
    await end(workspace, apiKey);
    await workspace.simulate.inboundMessage({ phone, body: 'not for this key' });
    expect(await stream.next()).toBeUndefined();
    const [revocation, ...others] = await other.entries(2);
    expect(revocation).toMatchObject({ data: { type: 'change' } });
    expect(bodies(others)).toEqual(['not for this key']);
    await other.leave();
  });

  test('makes room for others when its clients leave', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    for (let round = 0; round < 2; round += 1) {
      const streams = await Promise.all(Array.from({ length: 100 }, () => follow(server)));
      expect((await requestStream(server)).status).toBe(429);
      await Promise.all(streams.map((stream) => stream.leave()));
      await machine.waitFor(0);
    }
  });
});

test('a full journal drops its oldest entries, and tells its readers how many', async () => {
  const { server, ask } = startWithControl();
  const loop = server.journal.follow()[Symbol.asyncIterator]();
  for (let message = 1; message <= 10_005; message += 1) await say(server, String(message));
  await expect(loop.next()).rejects.toThrow('the journal dropped 5 entries');
  const page = await ask('GET', '/journal?limit=1');
  expect(page.body).toMatchObject({ data: [{ number: 6 }], more: true, cursor: '6', forgotten: 5 });

  const stream = await follow(server, '/stream?since=0');
  const [, missed] = await stream.take(2);
  expect(missed).toMatchObject({ event: 'missed', data: { count: 5 } });
  await stream.leave();
  const resumed = await follow(server, '/stream', { lastEventId: missed?.id });
  expect((await resumed.take(2)).at(1)).toMatchObject({ event: 'entry', data: { number: 6, body: '6' } });
  await resumed.leave();

  await server.reset();
  await say(server, 'after');
  expect((await ask('GET', '/journal')).body).toMatchObject({ data: [{ number: 10_006 }], forgotten: 0 });
});

describe('the stream over a socket', () => {
  /** Opens the stream of a server that listens. */
  async function followOverSocket(machine = new ManualClock()) {
    const server = startServer({ systemClock: machine });
    const { url } = await server.listen();
    const abort = new AbortController();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const response = await fetch(`${url}/control/stream`, { headers, signal: abort.signal });
    const stream = readStream(response);
    await stream.take(1);
    return { server, stream, abort, machine };
  }

  test('arrives event by event, and ends when the connection is cut', async () => {
    const { server, stream, abort, machine } = await followOverSocket();
    await say(server, 'over the wire');
    expect(bodies(await stream.entries(1))).toEqual(['over the wire']);
    abort.abort();
    await machine.waitFor(0);
  });

  test('ends when the server closes', async () => {
    const { server, stream } = await followOverSocket();
    const ended = stream.next();
    await server.close();
    expect(await ended).toBeUndefined();
  });

  test('does not hold up the server for a client that does not read', async () => {
    const server = startServer();
    const { url } = await server.listen();
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    const request = get(`${url}/control/stream?since=0`, { headers });
    request.on('error', () => {});
    const paused = new Promise<void>((resolve) => {
      request.once('response', (response) => {
        response.pause();
        resolve();
      });
    });
    await within('the response', paused);
    const text = 'x'.repeat(4_000);
    for (let message = 0; message < 500; message += 1) await say(server, text);
    await server.settled();
    expect(await server.journal.entries()).toHaveLength(500);
    request.destroy();
  });
});
