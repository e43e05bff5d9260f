import type { DedupeStore } from '../dedupe/dedupe-store.js';
import { DeliveryClaims } from './delivery-claim.js';
import { Handlers } from './handlers.js';
import { Hooks } from './hooks.js';
import { LastDelivery } from './last-delivery.js';
import type { ReceiverSettings } from './settings.js';
import { UnverifiedBytes } from './unverified-bytes.js';
import { Waits } from './waits.js';
import { WorkInProgress } from './work-in-progress.js';

/** What the deliveries of a receiver share. Each part is built from those before it. */
export class ReceiverParts<Request> {
  readonly settings: ReceiverSettings<Request>;
  readonly handlers: Handlers<Request>;
  readonly hooks: Hooks<Request>;
  readonly last = new LastDelivery();
  readonly inProgress = new WorkInProgress<Request>();
  readonly unverified: UnverifiedBytes<Request>;
  readonly waits: Waits;
  /** `undefined` if each attempt is handled. */
  readonly store: DedupeStore | undefined;
  readonly claims: DeliveryClaims;
  isDraining = false;

  constructor(settings: ReceiverSettings<Request>) {
    const { clock, dedupe, lease, maxBodyBytes, ttl } = settings;
    this.settings = settings;
    this.handlers = new Handlers(settings.onUnknownEvent);
    this.hooks = new Hooks(settings);
    this.unverified = new UnverifiedBytes(maxBodyBytes);
    this.waits = new Waits(clock);
    this.store = dedupe === false ? undefined : dedupe;
    this.claims = new DeliveryClaims(this.waits, { lease, ttl });
  }
}
