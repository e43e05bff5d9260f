import * as z from 'zod/mini';
import { phoneSchema } from '../../contract/phone.js';
import type { Schema } from '../../contract/schema.js';

/**
 * A message from a contact to the workspace. In production, it comes from the chat provider. On the reference server, a test
 * simulates it.
 */
export interface InboundMessage {
  /** The sender's phone number in E.164 format. An unknown sender becomes a contact. */
  readonly phone: string;
  /** The text. START and STOP, in any case, change the sender's consent. */
  readonly body: string;
  /** The kind of message. Default: `text`. */
  readonly type?: string | undefined;
}

/** The schema of an inbound message, from a program or over HTTP. */
export const inboundMessageSchema: Schema<InboundMessage> = z.strictObject({
  phone: phoneSchema,
  body: z.string(),
  type: z.optional(z.string().check(z.minLength(1))),
});
