import * as z from 'zod/mini';
import { validate } from '../../contract/schema.js';
import { ConfigurationError } from '../../foundation/options.js';
import { notRight } from '../model/service-error.js';
import type { ServerState } from './server-state.js';
import { serverStateSchema } from './server-state-schema.js';

const newerState = z.object({ version: z.number().check(z.gt(1)) });

/**
 * Validates a server state that was read from a file.
 *
 * @throws ConfigurationError that names each invalid field, or the version if a newer package wrote the state.
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
  const newer = validate(newerState, value);
  if (newer.valid) {
    throw new ConfigurationError(
      `The state has version ${newer.value.version}, but this package only reads version 1. Use the newer package ` +
        'that wrote it, or another file.',
    );
  }
  const validation = validate(serverStateSchema, value);
  if (validation.valid) return validation.value;
  throw notRight('The state', validation.problems);
}
