import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** The signing secret that was given, or that of the environment, which stands in no history of a shell. */
export function webhookSecret({ env }: Terminal, given: string | undefined): string {
  const secret = given ?? env.WEBHOOK_SECRET;
  if (!secret) throw new UsageError("Give the subscription's secret: --secret, or $WEBHOOK_SECRET.");
  return secret;
}
