import type { SendInput } from '../../contract/transactional.js';
import type { Clock } from '../../foundation/clock.js';
import type { KeyValueService } from '../../key-value/key-value-service.js';
import type { Failure, Outcome } from '../errors/request-error.js';
import type { Middleware } from '../observability/middleware-chain.js';
import type { Logger } from '../observability/watching.js';
import type { ApiKeySource } from '../request/api-key.js';
import type { Limiter } from '../request/limiter.js';
import type { RequestSettings } from '../request/request.js';
import type { Drift } from '../response/reading.js';
import type { Transport } from '../transport/transport.js';
import type { WorkspaceRules } from '../workspace/workspace.js';

/**
 * The waits between attempts. The first wait is `initial`, each later one is twice as long, up to `max`. Random jitter
 * shortens each wait by up to half, so that clients do not retry at the same moment.
 *
 * If the service sends `Retry-After`, the wait is at least that long. It is also never shorter than the backoff would
 * be. The jitter then adds up to half of the backoff.
 */
export interface Backoff {
  /** The first wait in milliseconds. Default: 500. */
  readonly initial: number;
  /** The longest wait in milliseconds. Default: 8,000. */
  readonly max: number;
}

/**
 * May hold a message back before it is sent, for the client's option `guards`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type SendGuard } from 'messaging-automation';
 *
 * const noOffersAtNight: SendGuard = {
 *   check({ templateId }) {
 *     const isNight = new Date().getUTCHours() >= 21;
 *     return isNight && templateId.startsWith('offer_') ? 'no offers at night' : undefined;
 *   },
 * };
 * const messaging = new MessagingAutomation({ guards: [noOffersAtNight] });
 * ```
 */
export interface SendGuard {
  /**
   * Returns the reason to hold the message back; `undefined` to let it out. The call waits for it until its deadline. If it throws,
   * returns anything else, or does not return in time, nothing is sent.
   *
   * @param message What the request will contain: the names of a `workspace` are translated.
   */
  check(message: Pick<SendInput, 'phone' | 'templateId'>): string | undefined | Promise<string | undefined>;
}

/** The options of a client, checked and with all defaults. */
export interface CallSettings extends RequestSettings {
  readonly apiKey: ApiKeySource;
  readonly timeout: number;
  readonly retries: number;
  readonly backoff: Backoff;
  readonly maxRetryAfter: number;
  readonly random: () => number;
  readonly limiter: Limiter | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly validation: 'warn' | 'strict' | 'off';
  readonly onDrift: (drift: Drift) => unknown;
  readonly middleware: readonly Middleware[];
  readonly logger: Logger | undefined;
  readonly workspace: WorkspaceRules | undefined;
  readonly idempotencyStore: KeyValueService | undefined;
  readonly idempotencyRetention: number;
  readonly guards: readonly SendGuard[];
}

/**
 * Whether a retry may succeed and cannot repeat an effect. An operation that is not idempotent is retried only if the
 * service certainly has not carried it out.
 */
export function isRetryable(
  repeatable: boolean,
  { temporary, outcome }: Pick<Failure, 'temporary' | 'outcome'>,
): boolean {
  return temporary && (repeatable || outcome !== 'unknown');
}

/**
 * How many milliseconds to wait after the failed attempt number `attempt`, counted from 1. `undefined` if the service
 * asks for a longer wait than `maxRetryAfter`.
 */
export function retryDelay(settings: CallSettings, attempt: number, failed: Failure): number | undefined {
  const { backoff, maxRetryAfter, random } = settings;
  const { retryAfter = 0 } = failed;
  if (retryAfter > maxRetryAfter) return undefined;
  const whole = Math.min(backoff.max, backoff.initial * 2 ** (attempt - 1));
  const chance = (random() * whole) / 2;
  return Math.max(whole - chance, retryAfter + chance);
}

const certainty: readonly Outcome[] = ['not_sent', 'rejected', 'unknown'];

/** The less certain of two outcomes, for a call with several attempts. */
export function leastCertain(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}
