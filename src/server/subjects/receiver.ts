import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { builtInReceiverUrl, type ReceiverMode, receiverModeSchema } from '../model/receiver.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

/** The built-in receiver: where subscriptions deliver to it, and how it responds. */
export type BuiltInReceiverState = {
  /** The URL for a subscription. */
  readonly url: string;
  readonly mode: ReceiverMode;
};

/**
 * A receiver inside the server, for a first webhook without code. It verifies the signature of each delivery as your receiver does.
 * Deliveries to its URL have attempts, retries, faults and explanations like all others, but need no network. No other
 * program can call it.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { url } = await server.receiver.set({ mode: 'error' });
 * await server.managedWebhooks.create({ url, events: ['message.received'] });
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * await server.settled();
 * console.log((await server.journal.deliveries())[0]?.attempts[0]?.status); // 500
 * ```
 */
export type WorkspaceReceiver = {
  /** Returns its URL, and how it responds. */
  read(): BuiltInReceiverState;
  /**
   * Changes how it responds, from the next attempt on.
   *
   * @returns Its state after the change.
   * @throws ConfigurationError if the mode is invalid.
   */
  set(change: { readonly mode: ReceiverMode }): Promise<BuiltInReceiverState>;
};

const changeSchema: Schema<{ readonly mode: ReceiverMode }> = z.strictObject({
  mode: receiverModeSchema,
});

export function receiverOf(live: LiveWorkspace): WorkspaceReceiver {
  return {
    read: () => ({ url: builtInReceiverUrl, mode: live.settings.now.receiver }),
    async set(given) {
      const { mode } = checked(changeSchema, 'The change of the receiver', given);
      const before = () => ({ mode: live.settings.now.receiver });
      return change(live, { operation: 'receiver.set', given: [{ mode }], before }, () =>
        live.settings.change((now) => [
          { ...now, receiver: mode },
          { url: builtInReceiverUrl, mode },
        ]),
      );
    },
  };
}

export const receiverOperations = ({ text }: typeof Shapes) => {
  const result = z.strictObject({ url: text, mode: receiverModeSchema });
  return {
    read: operation('receiver.read', 'GET', '/control/receiver', {
      summary: 'Returns the URL of the built-in receiver, and how it responds to deliveries.',
      result,
      rule: (live) => receiverOf(live).read(),
    }),
    set: operation('receiver.set', 'PUT', '/control/receiver', {
      summary:
        'Sets how the built-in receiver responds: verify (200 for a valid signature), wrong_secret (401), error (500) or late.',
      body: changeSchema,
      result,
      rule: (live, { body }) => receiverOf(live).set(body),
    }),
  };
};
