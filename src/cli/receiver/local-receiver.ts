import { NodeSender } from '../../server/deliveries/node-sender.js';
import { UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';

/** How long a receiver has, in milliseconds. The service's document says five seconds. */
export const receiverDeadline = 5_000;

/** A delivery to send. */
export interface OutgoingDelivery {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly signature: string;
}

/** A receiver's response, or why there is no complete one. */
export type ReceiverOutcome =
  | {
      readonly status: number;
      /** The beginning of the body. */
      readonly answer: string;
      /** The `Date` header. */
      readonly date?: string;
      /** Why the response is no success, if it is none. */
      readonly error?: string;
    }
  | { readonly error: string };

const sender = new NodeSender('any');

/** Sends a delivery to a receiver once, as the reference server does, so that both judge a response alike. */
export async function postDelivery(
  url: string,
  delivery: OutgoingDelivery,
  signal: AbortSignal,
): Promise<ReceiverOutcome> {
  const result = await sender.send({ url, ...delivery, redirects: 'fail' }, signal);
  const { status, answer, receiverTime, error } = result;
  if (status === undefined || answer === undefined) return { error: String(error) };
  return {
    status,
    answer,
    ...(receiverTime !== undefined && { date: new Date(receiverTime).toUTCString() }),
    ...(error !== undefined && { error }),
  };
}

/** The URL of a receiver that a flag names. */
export function receiverUrl(flag: string, text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`${flag} must be a URL that begins with http:// or https://.`);
}

/** The given signing secret, or that of the environment, which stays out of the shell's history. */
export function webhookSecret({ env }: Terminal, given: string | undefined): string {
  const secret = given ?? env.WEBHOOK_SECRET;
  if (!secret)
    throw new UsageError("The subscription's secret is missing. Pass --secret or set $WEBHOOK_SECRET.");
  return secret;
}
