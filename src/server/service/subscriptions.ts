import { secretPrefix } from '../../contract/secret-prefix.js';
import type {
  CreatedWebhookSubscription,
  CreateWebhookInput,
  WebhookSubscription,
} from '../../contract/subscription.js';
import { listenerUrl } from '../model/listener.js';
import type { SubscriptionRecord } from '../model/records.js';
import { invalidRequest, UnknownIdError } from '../model/service-error.js';
import { problemWithUrl } from './address-policy.js';
import type { WorkspaceContext } from './context.js';
import type { ManagedWebhookSeed } from './managed-webhook-seed.js';

/** The rules of webhook subscriptions: §2 and §4, /v1/webhooks. */
export class Subscriptions {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  async create(input: CreateWebhookInput): Promise<CreatedWebhookSubscription> {
    return shown(await this.#subscribe(input, false));
  }

  /** Creates a subscription that the service itself manages for an automation platform (§1). */
  async manage(input: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
    return shown(await this.#subscribe(input, true));
  }

  /** Creates a managed subscription whose deliveries a listener makes. The server never connects to its URL. */
  async listen({ url, ...others }: ManagedWebhookSeed): Promise<CreatedWebhookSubscription> {
    return shown(await this.#keep({ ...others, url: listenerUrl(url) }, true));
  }

  async #subscribe(input: ManagedWebhookSeed, managed: boolean): Promise<SubscriptionRecord> {
    this.#checkUrl(input.url);
    return this.#keep(input, managed);
  }

  async #keep({ url, events, secret }: ManagedWebhookSeed, managed: boolean): Promise<SubscriptionRecord> {
    const { store, environment } = this.#context;
    const subscription: SubscriptionRecord = {
      id: environment.newId('webhook'),
      managed,
      url,
      events: [...new Set(events)],
      secret: secret ?? secretPrefix + toHex(environment.randomBytes(32)),
      enabled: true,
      createdAt: environment.clock.now(),
    };
    await store.subscriptions.create(subscription);
    return subscription;
  }

  /** §2: an HTTPS endpoint. */
  #checkUrl(url: string): void {
    const problem = problemWithUrl(url, this.#context.receiverAddresses);
    if (problem !== undefined) throw invalidRequest([{ field: 'url', message: problem }]);
  }

  async list(): Promise<readonly WebhookSubscription[]> {
    const { store, gaps } = this.#context;
    const subscriptions = (await store.subscriptions.list()).filter(({ managed }) => !managed);
    return subscriptions
      .map(shown)
      .map(({ secret, ...others }) => (gaps.secretInList === 'shown' ? { ...others, secret } : others));
  }

  /** The subscriptions that the service itself manages. */
  async listManaged(): Promise<readonly CreatedWebhookSubscription[]> {
    return (await this.#context.store.subscriptions.list()).filter(({ managed }) => managed).map(shown);
  }

  async delete(id: string): Promise<void> {
    const { store } = this.#context;
    const subscription = (await store.subscriptions.list()).find((each) => each.id === id);
    if (subscription?.managed === false && (await store.deleteSubscription(id))) return;
    throw new UnknownIdError('No subscription of this workspace has this id. GET /v1/webhooks lists them.');
  }
}

/** A subscription as the API shows it. */
function shown({ managed: _, ...subscription }: SubscriptionRecord): CreatedWebhookSubscription {
  return subscription;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
