import { NodeSender, sendUntil } from '../../server/deliveries/node-sender.js';
import { directWay, explainConnection } from '../terminal/connection-causes.js';
import { UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';

/** How long a receiver has, in milliseconds. The service's document says five seconds. */
export const receiverDeadline = 5_000;

const sender = new NodeSender('any');

/**
 * Sends a delivery to a receiver once, as the reference server does, so that both judge a response alike. Resolves to the response,
 * with an error if it is no success, and only to an error if there is no complete response.
 */
export async function postDelivery(
  url: string,
  delivery: { readonly body: Uint8Array<ArrayBuffer>; readonly signature: string },
  signal: AbortSignal,
): ReturnType<NodeSender['send']> {
  const result = await sendUntil(signal, sender, { url, ...delivery, redirects: 'fail' });
  return result.responseBody === undefined ? { error: `${result.error}` } : result;
}

/** Why a receiver took no delivery, and what to do. */
export function explainReceiver(terminal: Terminal, url: string, error: string | undefined): string {
  const { sentences } = explainConnection(error, directWay(url, terminal));
  return sentences || 'Start it, or correct its URL.';
}

/** The URL of a receiver that a flag names. */
export function receiverUrl(flag: string, text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new UsageError(`${flag} must be a URL that begins with http:// or https://.`);
}

/** The given signing secret, or that of the environment, which stays out of the shell's history. */
export function webhookSecret({ env }: Terminal, given: string | undefined, flag = '--secret'): string {
  const secret = given ?? env.WEBHOOK_SECRET;
  if (!secret)
    throw new UsageError(`The subscription's secret is missing. Pass ${flag} or set $WEBHOOK_SECRET.`);
  return secret;
}
