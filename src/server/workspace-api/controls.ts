import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { Faults } from '../faults/workspace-faults.js';
import { builtInReceiverUrl, type ReceiverMode, receiverModeSchema } from '../model/receiver.js';
import type { QuotaChange, QuotaRecord } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import { quotaChangeSchema } from '../seed/workspace-seed.js';
import {
  type InboundMessage,
  type InboundMessageResult,
  inboundMessageSchema,
} from '../service/inbound-messages.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';

/**
 * Simulates what contacts do.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const { consent } = await server.simulate.inboundMessage({ phone: '+15551234567', body: 'STOP' });
 * console.log(consent); // opted_out
 * ```
 */
export type Simulation = {
  /**
   * Simulates a message from a contact to the workspace. The workspace emits `message.received`. The keywords START and
   * STOP also change the contact's consent, which emits `contact.opted_in` or `contact.opted_out`. An unknown sender
   * becomes a contact.
   *
   * @throws ConfigurationError that names each invalid field of the message, such as a phone that is not E.164.
   */
  inboundMessage(message: InboundMessage): Promise<InboundMessageResult>;
};

/** Returns the simulation of a workspace. */
export function simulationOf(live: LiveWorkspace): Simulation {
  const { inboundMessages } = live.services;
  return {
    async inboundMessage(given) {
      const message = checked(inboundMessageSchema, 'The inbound message', given);
      return run(live, () => inboundMessages.receive(message));
    },
  };
}

/**
 * Reads and sets the remaining conversations of a workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ quota: 100 });
 * await server.quota.set({ quota: 0, addOnCredits: 2 });
 * console.log(await server.quota.read()); // { quota: 0, addOnCredits: 2 }
 * ```
 */
export type WorkspaceQuota = {
  /** Returns the remaining conversations of the plan and the remaining add-on credits. */
  read(): Promise<QuotaRecord>;
  /**
   * Sets the remaining conversations of the plan, the add-on credits, or both.
   *
   * @returns The remaining conversations after the change.
   * @throws ConfigurationError that names each invalid field.
   */
  set(quota: QuotaChange): Promise<QuotaRecord>;
};

export function quotaOf(live: LiveWorkspace): WorkspaceQuota {
  const { store } = live.context;
  return {
    read: () => run(live, () => store.sends.readQuota()),
    async set(quota) {
      const change = checked(quotaChangeSchema, 'The quota', quota);
      return run(live, () => store.sends.setQuota(change));
    },
  };
}

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
    issue: () => run(live, () => keys.issue()),
    rotate: (apiKey) => run(live, () => keys.rotate(apiKey)),
    revoke: (apiKey) => run(live, () => keys.revoke(apiKey)),
  };
}

/**
 * Reads and changes the `specGaps` of a workspace: behavior that the service's document does not specify.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.specGaps.set({ unknownIdStatus: 410 });
 * await server.client.contacts.get('nobody').catch((error) => console.log(error.status)); // 410
 * console.log(server.specGaps.read().errorBody); // nested
 * ```
 */
export type SpecGapSwitches = {
  /** Returns the current value of every switch. */
  read(): SpecGaps;
  /**
   * Changes switches. The change applies from the next request, attempt or send on. Keeps the switches that you leave out.
   *
   * @returns The value of every switch after the change.
   * @throws ConfigurationError that names each invalid switch.
   */
  set(changes: Partial<SpecGaps>): Promise<SpecGaps>;
};

export function specGapsOf(live: LiveWorkspace): SpecGapSwitches {
  return {
    read: () => ({ ...live.settings.now.specGaps }),
    async set(given) {
      const changes = checked(specGapsSchema, 'The change of specGaps', given);
      return run(live, () =>
        live.settings.change((now) => {
          const specGaps = { ...now.specGaps, ...changes };
          return [{ ...now, specGaps }, { ...specGaps }];
        }),
      );
    },
  };
}

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

export const receiverChangeSchema: Schema<{ readonly mode: ReceiverMode }> = z.strictObject({
  mode: receiverModeSchema,
});

export function receiverOf(live: LiveWorkspace): WorkspaceReceiver {
  return {
    read: () => ({ url: builtInReceiverUrl, mode: live.settings.now.receiver }),
    async set(change) {
      const { mode } = checked(receiverChangeSchema, 'The change of the receiver', change);
      return run(live, () =>
        live.settings.change((now) => [
          { ...now, receiver: mode },
          { url: builtInReceiverUrl, mode },
        ]),
      );
    },
  };
}

/** Returns the faults of a workspace. */
export function faultsOf(live: LiveWorkspace): Faults {
  const { faults } = live;
  const remove = (id: string) => run(live, () => faults.remove(id));
  return {
    async add(rule) {
      const { id } = await run(live, () => faults.add(rule));
      return async () => void (await remove(id));
    },
    remove,
    clear: () => run(live, () => faults.clear()),
    list: () => run(live, () => faults.list()),
  };
}
