import * as z from 'zod/mini';
import { digestOfKey } from '../workspace/api-keys.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

/**
 * Issues, rotates and revokes the API keys of a workspace. The service's document does not describe how to do that.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const second = await server.keys.issue();
 * const third = await server.keys.rotate(second); // the server rejects `second` from now on
 * await server.keys.revoke(third);
 * ```
 */
export type WorkspaceKeys = {
  /** Issues and returns another key. The server keeps only its digest, so you cannot read the key later. */
  issue(): Promise<string>;
  /**
   * Replaces a key with a new one. The server rejects the old key from then on.
   *
   * @throws Error if the key does not belong to this workspace.
   */
  rotate(apiKey: string): Promise<string>;
  /**
   * Revokes a key. The server rejects it from then on. You can revoke the last key too.
   *
   * @throws Error if the key does not belong to this workspace.
   */
  revoke(apiKey: string): Promise<void>;
};

/** Returns the keys of a workspace. You can call it before the seed is loaded. */
export function keysOf(live: LiveWorkspace): WorkspaceKeys {
  const { keys } = live;
  return {
    issue: () => change(live, { operation: 'keys.issue', idOf: idOfKey }, () => keys.issue()),
    rotate(apiKey) {
      const call = { operation: 'keys.rotate', given: [idOfKey(apiKey)], idOf: idOfKey } as const;
      return change(live, call, () => keys.rotate(apiKey));
    },
    revoke: (apiKey) =>
      change(live, { operation: 'keys.revoke', given: [idOfKey(apiKey)] }, () => keys.revoke(apiKey)),
  };
}

/** The name of a key in the journal, which says nothing else about the key. */
function idOfKey(apiKey: string): string {
  return `key_${digestOfKey(String(apiKey)).slice(0, 8)}`;
}

/** Rotating and revoking affect the key of the request, so that no URL and no body contains a key. */
export const keysOperations = ({ text }: typeof Shapes) => {
  const result = z.strictObject({ apiKey: text });
  return {
    issue: operation('keys.issue', 'POST', '/control/api-keys', {
      summary: 'Issues another key.',
      status: 201,
      result,
      rule: async (live) => ({ apiKey: await keysOf(live).issue() }),
    }),
    rotate: operation('keys.rotate', 'POST', '/control/api-keys/rotate', {
      summary: 'Replaces the key of the request with a new one.',
      status: 201,
      result,
      refusals: { 404: 'Another request already revoked the key.' },
      rule: async (live, { request }) => ({ apiKey: await keysOf(live).rotate(request.apiKey) }),
    }),
    revoke: operation('keys.revoke', 'DELETE', '/control/api-keys', {
      summary: 'Revokes the key of the request.',
      refusals: { 404: 'Another request already revoked the key.' },
      rule: (live, { request }) => keysOf(live).revoke(request.apiKey),
    }),
  };
};
