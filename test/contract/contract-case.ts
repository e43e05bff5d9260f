import {
  type CreatedWebhookSubscription,
  MessagingAutomation,
  type WebhookEventType,
} from 'messaging-automation';
import type { Environment, EnvironmentOptions } from './environment.js';

/** The phone of the contact of `subscribe` and `say`. */
export const phone = '+15551234567';

/** What a case works with: a fresh environment, the SDK on it, and bare HTTP for what the SDK hides. */
export interface Fixtures {
  readonly environment: Environment;
  readonly messaging: MessagingAutomation;
  /** One request with the key, and a JSON body if there is one. */
  readonly call: (method: string, path: string, body?: object) => Promise<Response>;
  /** One request with nothing but what the case names. */
  readonly request: (path: string, init: RequestInit) => Promise<Response>;
  /** Subscribes the receiver to these events of a contact with this phone. Default: `message.received`. */
  readonly subscribe: (
    events?: readonly WebhookEventType[],
    path?: string,
  ) => Promise<CreatedWebhookSubscription>;
  /** The contact writes these texts, and all that is due then is done. */
  readonly say: (...texts: readonly string[]) => Promise<void>;
  /** The SDK with another key. */
  readonly messagingWith: (apiKey: string) => MessagingAutomation;
}

/** One statement of the document, and how it shows. */
export interface ContractCase {
  /** The section, the endpoint if there is one, and the statement. */
  readonly name: string;
  readonly run: (fixtures: Fixtures) => Promise<void>;
  readonly options: EnvironmentOptions;
}

export function contractCase(
  name: string,
  run: ContractCase['run'],
  options: EnvironmentOptions = {},
): ContractCase {
  return { name, run, options };
}

export function fixturesOf(environment: Environment): Fixtures {
  const { apiKey, baseUrl } = environment;
  const messagingWith = (key: string) =>
    new MessagingAutomation({ apiKey: key, baseUrl, fetch: environment.fetch });
  const request: Fixtures['request'] = (path, init) =>
    (environment.fetch ?? fetch)(`${baseUrl}${path}`, init);
  const messaging = messagingWith(apiKey);
  return {
    environment,
    messaging,
    async subscribe(events = ['message.received'], path = '') {
      await messaging.contacts.upsert({ phone });
      return messaging.webhooks.create({ url: environment.receiver.url + path, events });
    },
    async say(...texts) {
      for (const body of texts) await environment.inboundMessage({ phone, body });
      await environment.settled();
    },
    messagingWith,
    request,
    call: (method, path, body) =>
      request(path, {
        method,
        headers: { Authorization: `Bearer ${apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      }),
  };
}
