import type { DedupeConnection } from './connection-errors.js';

/**
 * The part of a client of the `redis` package (node-redis) that a dedupe store uses: one command, and the event of lost
 * connections. A client, a pool and a cluster of that package have both.
 */
export interface NodeRedisClient extends DedupeConnection {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/**
 * The part of a client of the `ioredis` package that a dedupe store uses: one command. `call` distinguishes it from a client of the
 * other package. The store does not call it. A client and a cluster of that package have both.
 */
export interface IoredisClient extends DedupeConnection {
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs any command. */
  call(command: string, ...words: string[]): Promise<unknown>;
}

/** Runs a script on one key. */
export function runScript(
  client: NodeRedisClient | IoredisClient,
  script: string,
  key: string,
  ...words: string[]
): Promise<unknown> {
  return 'call' in client
    ? client.eval(script, 1, key, ...words)
    : client.eval(script, { keys: [key], arguments: words });
}
