import type { Terminal } from '../terminal/terminal.js';
import { UsageError } from '../terminal/usage-error.js';

/** The given signing secret, or that of the environment, which stays out of the shell's history. */
export function webhookSecret({ env }: Terminal, given: string | undefined): string {
  const secret = given ?? env.WEBHOOK_SECRET;
  if (!secret)
    throw new UsageError("The subscription's secret is missing. Pass --secret or set $WEBHOOK_SECRET.");
  return secret;
}
