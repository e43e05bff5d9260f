import * as z from 'zod/mini';
import { phoneSchema } from '../../contract/phone.js';
import type { Schema } from '../../contract/schema.js';

/**
 * A message that a contact sends to the workspace. The service's own API takes none, for the chat provider brings
 * them; the reference server takes them from tests.
 *
 * @example
 * ```ts
 * import type { InboundMessage } from 'messaging-automation/server';
 *
 * const message: InboundMessage = { phone: '+15551234567', body: 'Hello' };
 * ```
 */
export interface InboundMessage {
  /** The sender's phone number in E.164 format. A sender who is no contact yet becomes one. */
  readonly phone: string;
  /** The text. START and STOP, in any case, change the sender's consent. */
  readonly body: string;
  /** The kind of message; `text` unless told. */
  readonly type?: string | undefined;
}

/** An inbound message, whether a program gives it or it comes over HTTP. */
export const inboundMessageSchema: Schema<InboundMessage> = z.strictObject({
  phone: phoneSchema,
  body: z.string(),
  type: z.optional(z.string().check(z.minLength(1))),
});
