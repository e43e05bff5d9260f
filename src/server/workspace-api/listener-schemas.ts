import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { answerLimit } from '../model/delivery.js';
import type { ListenerAnswer } from '../model/listener.js';
import { problemWithUrl } from '../service/address-policy.js';
import { secretSchema } from '../service/managed-webhook-seed.js';

/**
 * A listener: a program that connects to the server to receive deliveries.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ListenerSeed } from 'messaging-automation/server';
 *
 * const seed: ListenerSeed = { url: 'http://localhost:3000/webhooks', events: ['message.received'] };
 * await using server = createReferenceServer();
 * const listener = await server.listeners.create(seed);
 * console.log(listener.url); // listen:http://localhost:3000/webhooks
 * ```
 */
export interface ListenerSeed {
  /** The URL to which the listener forwards the deliveries. The server only shows it and never connects to it. */
  readonly url: string;
  /** The event types, at least one. Default: all. */
  readonly events?: readonly WebhookEventType[] | undefined;
  /** The signing secret. It begins with `whsec_`. Default: a generated secret. */
  readonly secret?: string | undefined;
}

export const listenerSchema: Schema<ListenerSeed> = z.strictObject({
  // Any address is valid, because the server never connects to it.
  url: z.string().check((checking) => {
    const problem = problemWithUrl(checking.value, 'any');
    if (problem === undefined) return;
    checking.issues.push({ code: 'custom', input: checking.value, message: problem });
  }),
  events: z.optional(z.array(z.enum(webhookEventTypes)).check(z.minLength(1))),
  secret: z.optional(secretSchema),
});

const atMost = (length: number) =>
  z.string().check(z.maxLength(length, `must have at most ${length} characters`));

export const listenerAnswerSchema: Schema<ListenerAnswer> = z.union([
  z.strictObject({
    status: z.int().check(z.gte(100), z.lte(999)),
    answer: z.optional(atMost(answerLimit)),
    date: z.optional(atMost(100)),
  }),
  z.strictObject({ error: atMost(1_000).check(z.minLength(1)) }),
]);
