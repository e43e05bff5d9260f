import { EventEmitter } from 'node:events';
import {
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type NodeRedisClient,
  type StoreConnection,
} from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';

/** Emits what a client and a pool emit. */
class Connection extends EventEmitter {
  eval = async () => 1;
  query = async () => ({ rows: [] });
}

afterEach(() => vi.restoreAllMocks());

const lost = Object.assign(new Error('connect to postgres://user:password@db'), { code: 'ECONNREFUSED' });

describe.each([
  ['Redis client', (connection: Connection) => createRedisKeyValueStore(connection)],
  ['PostgreSQL pool', (connection: Connection) => createPostgresKeyValueStore(connection)],
])('a store with a %s', (name, createStore) => {
  test('lets no error of it end the process, and warns once without the message', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const connection = new Connection();
    createStore(connection);
    connection.emit('error', lost);
    connection.emit('error', lost);

    expect(emitWarning).toHaveBeenCalledOnce();
    const [message] = emitWarning.mock.calls[0] ?? [];
    expect(message).toContain(`The ${name} of a store lost a connection: ECONNREFUSED.`);
    expect(message).not.toContain('password');
  });

  test('leaves the errors to whoever else listens', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const connection = new Connection();
    const listener = vi.fn();
    createStore(connection);
    connection.on('error', listener);
    connection.emit('error', lost);

    expect(listener).toHaveBeenCalledExactlyOnceWith(lost);
    expect(emitWarning).not.toHaveBeenCalled();
  });

  test('listens once, however many stores share it', () => {
    const connection = new Connection();
    for (let count = 0; count < 20; count += 1) createStore(connection);

    expect(connection.listenerCount('error')).toBe(1);
  });

  test.each([undefined, null, 'gone', { code: 'a secret message' }, new AggregateError([], 'password')])(
    'says nothing that could be secret of the error %s',
    (error) => {
      const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const connection = new Connection();
      createStore(connection);
      connection.emit('error', error);

      expect(emitWarning.mock.calls[0]?.[0]).toMatch(/lost a connection: (unknown error|AggregateError)\./);
    },
  );
});

test('a client that cannot count its listeners is warned of', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const emitter = new EventEmitter();
  createRedisKeyValueStore({ eval: async () => 1, on: (event, listener) => emitter.on(event, listener) });
  emitter.emit('error', lost);

  expect(emitWarning).toHaveBeenCalledOnce();
});

test('a client that emits nothing is taken, too', () => {
  const client: StoreConnection & { eval(): Promise<unknown> } = { eval: async () => 1 };

  expect(() => createRedisKeyValueStore(client)).not.toThrow();
});

test('a Redis client may give numbers as bigint', async () => {
  const store = createRedisKeyValueStore({ eval: async () => 1n });

  expect(await store.setIfAbsent('key', 'value', 1)).toBe(true);
});

test.each([null, undefined])('a key that Redis does not have, told by %s, is absent', async (absent) => {
  expect(await createRedisKeyValueStore({ eval: async () => absent }).get('key')).toBe('');
});

test('a Redis client that gives no text is named', async () => {
  const client: NodeRedisClient = { eval: async () => new Uint8Array() };

  await expect(createRedisKeyValueStore(client).setIfAbsent('key', 'value', 1)).rejects.toThrow(
    'did not return the reply of a script',
  );
});

test('a pool that gives no objects is named', async () => {
  const store = createPostgresKeyValueStore({ query: async () => ({ rows: [{ 0: 'done' }] }) });

  await expect(store.get('key')).rejects.toThrow('a pool that returns rows as objects');
});
