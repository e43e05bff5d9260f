import {
  type CreatedWebhookSubscription,
  type CreateWebhookInput,
  secretPrefix,
  type WebhookSubscription,
} from '../../contract/subscription.js';
import { problemWithUrl } from '../deliveries/address-policy.js';
import type { SubscriptionRecord } from '../store/records.js';
import type { WorkspaceContext } from '../workspace/context.js';
import { invalidRequest, UnknownIdError } from './service-error.js';

/** The rules of webhook subscriptions: §2 and §4, /v1/webhooks. */
export class Subscriptions {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  async create(input: CreateWebhookInput): Promise<CreatedWebhookSubscription> {
    this.#checkUrl(input.url);
    const { managed: _, ...created } = await this.subscribe(input.url, input.events);
    return created;
  }

  /** Takes a subscription in, whoever wants it: a caller of the API, or the service for an automation platform. */
  async subscribe(
    url: string,
    events: CreateWebhookInput['events'],
    { managed = false, secret }: { readonly managed?: boolean; readonly secret?: string } = {},
  ): Promise<SubscriptionRecord> {
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
    await store.createSubscription(subscription);
    return subscription;
  }

  /** §2: an HTTPS endpoint. */
  #checkUrl(url: string): void {
    const problem = problemWithUrl(url, this.#context.receiverAddresses);
    if (problem !== undefined) throw invalidRequest([{ field: 'url', message: problem }]);
  }

  async list(): Promise<readonly WebhookSubscription[]> {
    const { store, gaps } = this.#context;
    const subscriptions = (await store.listSubscriptions()).filter(({ managed }) => !managed);
    return subscriptions.map(({ managed: _, secret, ...shown }) =>
      gaps.secretInList === 'shown' ? { ...shown, secret } : shown,
    );
  }

  async delete(id: string): Promise<void> {
    const { store } = this.#context;
    const subscription = (await store.listSubscriptions()).find((each) => each.id === id);
    if (subscription?.managed === false && (await store.deleteSubscription(id))) return;
    throw new UnknownIdError('No subscription of this workspace has this id. GET /v1/webhooks lists them.');
  }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
