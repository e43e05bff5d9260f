import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Drivers, openPostgres, openRedis } from '../../src/cli/unsettled/drivers.js';
import { sameStore } from '../../src/cli/unsettled/key-store.js';
import { manualClock } from '../client/support/clocks.js';
import { noteEvents, rejection } from '../client/support/service.js';
import { settle, within, withResolvers } from '../waiting.js';

/** What a connection does when it is asked to connect, to run a command, or to close. */
interface Behaviour {
  readonly connect?: () => Promise<unknown>;
  readonly command?: () => Promise<unknown>;
  readonly close?: () => Promise<void>;
}

/** Packages whose connections note what is asked of them, and do as the test says. */
function packages({ connect, command, close }: Behaviour) {
  const asked: string[] = [];
  const events = new EventEmitter();
  const note = (what: string, work: () => Promise<unknown> = async () => undefined) => {
    asked.push(what);
    return work();
  };
  class Connection {
    isOpen = false;
    connect() {
      this.isOpen = true;
      return note('connect', connect);
    }
    eval = () => note('command', command);
    call = () => note('command', command);
    query = () => note('command', command).then(() => ({ rows: [] }));
    on = (event: string, listener: (error: unknown) => void) => events.on(event, listener);
    end = async () => void (await note('end', close));
  }
  class WithDisconnect extends Connection {
    disconnect = () => void note('disconnect');
  }
  const [version5, version4] = [
    () => Object.assign(new Connection(), { destroy: () => void note('destroy'), call: undefined }),
    () => Object.assign(new Connection(), { disconnect: () => note('disconnect', close), call: undefined }),
  ];
  const missing = () => Promise.reject(new Error('not installed'));
  const none: Drivers = { redis: missing, ioredis: missing, pg: missing };
  const drivers: Readonly<Record<string, Drivers>> = {
    'redis 5': { ...none, redis: async () => ({ createClient: version5 }) },
    'redis 4': { ...none, redis: async () => ({ createClient: version4 }) },
    ioredis: { ...none, ioredis: async () => ({ Redis: WithDisconnect }) },
    pg: { ...none, pg: async () => ({ Client: Connection }) },
  };
  return { asked, drivers, emit: (error: Error) => void events.emit('error', error) };
}

/** A store over a connection of a package, with a clock that stands still. */
async function opened(name: string, behaviour: Behaviour = {}) {
  const clock = manualClock();
  const { drivers, ...connection } = packages(behaviour);
  const { store, close } =
    name === 'pg'
      ? await openPostgres('postgres://db', undefined, clock, drivers[name])
      : await openRedis('redis://db', undefined, clock, drivers[name]);
  return { ...connection, store, close, clock };
}

const never = () => new Promise<never>(() => {});
const failing = (message: string) => () => Promise.reject(new Error(message));

describe.each([
  ['redis 5', 'destroy'],
  ['redis 4', 'disconnect'],
  ['ioredis', 'disconnect'],
  ['pg', 'end'],
])('a store by the package %s', (name, closing) => {
  test('connects once, at its first command, and is closed', async () => {
    const { store, close, asked } = await opened(name);
    expect(asked).toEqual([]);
    await store.set('key', 'value', 1);
    await store.set('key', 'value', 1);
    close();

    expect(asked).toEqual(['connect', 'command', 'command', closing]);
  });

  test.each<[string, Behaviour]>([
    ['succeeds', {}],
    ['fails', { command: failing('refused') }],
    ['cannot connect', { connect: failing('refused') }],
  ])('leaves no timer after a command that %s', async (_, behaviour) => {
    const { store, clock } = await opened(name, behaviour);
    await within('the command', Promise.allSettled([store.set('key', 'value', 1)]));
    await settle();

    expect(clock.timers()).toBe(0);
  });

  test.each<[string, Behaviour, number]>([
    ['ten seconds for a connection', { connect: never }, 10_000],
    ['thirty seconds for a command', { command: never }, 30_000],
  ])('waits for %s, and no longer', async (_, behaviour, longest) => {
    const { store, clock } = await opened(name, behaviour);
    const error = rejection(store.set('key', 'value', 1));
    await settle();
    clock.advance(longest - 1);
    await settle();
    expect(clock.timers()).toBe(1);
    clock.advance(1);

    expect(await error).toMatchObject({ code: 'ETIMEDOUT' });
    expect(clock.timers()).toBe(0);
  });

  test('lets no lost connection and no failed close end the process', async () => {
    const unhandled = noteEvents('unhandledRejection');
    const { store, close, emit } = await opened(name, { close: failing('closed already') });
    await store.set('key', 'value', 1);
    emit(new Error('lost'));
    close();
    await settle();

    expect(unhandled).toEqual([]);
  });
});

test('ioredis says by an event why it cannot connect, and the store tells that', async () => {
  const { store, emit } = await opened('ioredis', {
    async connect() {
      emit(new Error('WRONGPASS'));
      emit(new Error('a later one'));
      throw new Error('Connection is closed.');
    },
  });

  await expect(store.get('key')).rejects.toThrow("refuses the client's user or password");
});

test('a client of PostgreSQL gets one statement at a time, also after one that failed', async () => {
  const gates = [withResolvers(), withResolvers(), withResolvers()];
  let begun = 0;
  const command = () => {
    begun += 1;
    return gates[begun - 1]?.promise ?? never();
  };
  const { store } = await opened('pg', { command });
  const all = Promise.allSettled(['1', '2', '3'].map((key) => store.set(key, 'value', 1)));
  await settle();
  expect(begun).toBe(1);
  gates[0]?.reject(new Error('refused'));
  await settle();
  expect(begun).toBe(2);
  for (const gate of gates) gate.resolve();

  const ends = (await within('all statements', all)).map(({ status }) => status);
  expect(ends).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

test.each([
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
  ['redis://user:canary@127.0.0.1', '"$MESSAGING_AUTOMATION_KEY_STORE"'],
  ['redis://127.0.0.1?password=canary', '"$MESSAGING_AUTOMATION_KEY_STORE"'],
  ['postgres:///orders?host=/run&password=canary', '"$MESSAGING_AUTOMATION_KEY_STORE"'],
])('the command that settles a key of %s names its store as %s', (store, shown) => {
  const options = { store, prefix: 'a b', table: 'keys', json: false };

  expect(sameStore(options)).toEqual(['--store', shown, '--prefix', "'a b'", '--table', 'keys']);
});
