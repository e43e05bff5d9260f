import { createHmac } from 'node:crypto';
import { type ControlOptions, serverOf } from '../running-server/control-options.js';
import type { Terminal } from '../terminal/terminal.js';
import { UsageError } from '../terminal/usage-error.js';

/**
 * The signing secret of a listener: the given one, that of the environment, or one derived from the key. It is the same at each
 * start, also after a restart of the server, and can be printed before either runs.
 */
export function listenerSecret(
  terminal: Terminal,
  given: string | undefined,
  options: ControlOptions,
): string {
  const secret = given ?? terminal.env.WEBHOOK_SECRET;
  if (!secret) return madeOf(serverOf(terminal, options).apiKey);
  if (/^whsec_[\x21-\x7e]+$/.test(secret)) return secret;
  const source = given === undefined ? '$WEBHOOK_SECRET' : '--secret';
  throw new UsageError(`${source} must be whsec_ followed by printable ASCII without spaces.`);
}

/** The secret does not reveal the key, unless the key can be guessed. */
function madeOf(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('messaging-automation listen').digest('hex')}`;
}
