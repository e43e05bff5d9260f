import { validate } from '../../contract/schema.js';
import type { ServerState } from './server-state.js';
import { serverStateSchema } from './server-state-schema.js';

/**
 * Checks what a server is to go on from, as read from a file.
 *
 * @throws TypeError where it is no state, or a newer package's; it names every field that is wrong.
 * @example
 * ```ts
 * import { createReferenceServer, parseServerState } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const text = JSON.stringify(await server.state());
 *
 * await using again = createReferenceServer({ state: parseServerState(JSON.parse(text)) });
 * console.log(again.id === server.id); // true
 * ```
 */
export function parseServerState(value: unknown): ServerState {
  const version: unknown = Reflect.get(Object(value), 'version');
  if (typeof version === 'number' && version > 1) {
    throw new TypeError(
      `The state has version ${version}, and this version of the package knows version 1 alone. Use the newer package ` +
        'that wrote it, or another file.',
    );
  }
  const validation = validate(serverStateSchema, value);
  if (validation.valid) return validation.value;
  const problems = validation.problems.map(({ field, message }) => `${field || 'the whole'} ${message}`);
  throw new TypeError(['The state is not right:', ...problems].join('\n  '));
}
