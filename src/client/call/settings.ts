import type { Clock } from '../../foundation/clock.js';
import type { Drift } from '../answer/reading.js';
import type { Middleware } from '../observability/middleware-chain.js';
import type { Logger } from '../observability/watching.js';
import type { ApiKeySource } from '../request/api-key.js';
import type { Limiter } from '../request/limiter.js';
import type { RequestSettings } from '../request/request.js';
import type { Transport } from '../transport/transport.js';
import type { WorkspaceRules } from '../workspace/workspace.js';
import type { RetryPolicy } from './retry-policy.js';

/** The options of a client, checked and with all defaults. */
export interface CallSettings extends RetryPolicy, RequestSettings {
  readonly apiKey: ApiKeySource;
  readonly timeout: number;
  readonly retries: number;
  readonly limiter: Limiter | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly validation: 'warn' | 'strict' | 'off';
  readonly onDrift: (drift: Drift) => unknown;
  readonly middleware: readonly Middleware[];
  readonly logger: Logger | undefined;
  readonly workspace: WorkspaceRules | undefined;
}
