import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';

/** The URL of the built-in receiver. Nobody can own a name below `.example` (RFC 2606), so no receiver of the internet has it. */
export const builtInReceiverUrl = 'https://built-in-receiver.example/';
const { origin } = new URL(builtInReceiverUrl);

/** Whether the built-in receiver of the workspace receives at a URL. */
export function isBuiltInReceiver(url: string): boolean {
  // Only what begins like it is parsed: each attempt of each delivery asks.
  const beginsLikeIt = url.slice(0, origin.length).toLowerCase() === origin;
  return beginsLikeIt && URL.canParse(url) && new URL(url).origin === origin;
}

/**
 * How the built-in receiver responds.
 *
 * - `verify`: 200 if the signature is valid, otherwise 401.
 * - `wrong_secret`: verifies with a secret of its own, so it responds with 401.
 * - `error`: 500 after it has verified, as for a handler that fails.
 * - `late`: 200 after it has verified, one second after the timeout of the attempt.
 */
export type ReceiverMode = 'verify' | 'wrong_secret' | 'error' | 'late';

export const receiverModeSchema: Schema<ReceiverMode> = z.enum(['verify', 'wrong_secret', 'error', 'late']);
