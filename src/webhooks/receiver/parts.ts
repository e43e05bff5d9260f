import type { DedupeStore } from '../dedupe/dedupe-store.js';
import { ContactTurns } from '../order/turns.js';
import { ReceiverClaims } from './delivery-claim.js';
import { Handlers } from './handlers.js';
import { Hooks } from './hooks.js';
import { DeliveryNotes } from './last-delivery.js';
import type { ReceiverSettings } from './settings.js';
import { UnverifiedBytes } from './unverified-bytes.js';
import { TimedWaits } from './waits.js';
import { WorkInProgress } from './work-in-progress.js';

/** What the deliveries of a receiver share. Each part is built from those before it. */
export class ReceiverParts<Request> {
  readonly settings: ReceiverSettings<Request>;
  readonly handlers: Handlers<Request>;
  readonly hooks: Hooks<Request>;
  readonly notes = new DeliveryNotes();
  readonly inProgress = new WorkInProgress<Request>();
  readonly unverified: UnverifiedBytes;
  readonly waits: TimedWaits;
  /** `undefined` if each attempt is handled. */
  readonly store: DedupeStore | undefined;
  readonly claims: ReceiverClaims;
  /** `undefined` if deliveries run in no order. */
  readonly turns: ContactTurns | undefined;
  isDraining = false;

  constructor(settings: ReceiverSettings<Request>) {
    const { clock, dedupe, inOrder, lease, maxBodyBytes, maxConcurrent, ttl } = settings;
    this.settings = settings;
    this.handlers = new Handlers(settings.onUnknownEvent);
    this.hooks = new Hooks(settings);
    this.unverified = new UnverifiedBytes(maxBodyBytes);
    this.waits = new TimedWaits(clock);
    this.store = dedupe === false ? undefined : dedupe;
    this.claims = new ReceiverClaims(this.waits, { lease, ttl });
    const turns = inOrder && this.store?.turns;
    const mostWaiting = Math.min(Math.max(1, maxConcurrent / contactsAtLeast), mostOfOneContact);
    this.turns = turns && new ContactTurns({ store: turns, clock, ttl, mostWaiting });
  }
}

/** The deliveries of one contact take at most a quarter of the places, so that others have theirs. */
const contactsAtLeast = 4;
const mostOfOneContact = 1_000;
