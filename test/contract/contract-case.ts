import { MessagingAutomation } from 'messaging-automation';
import type { World, WorldOptions } from './world.js';

/** What a case works with: a fresh world, the SDK on it, and bare HTTP for what the SDK hides. */
export interface Hands {
  readonly world: World;
  readonly messaging: MessagingAutomation;
  /** One request with the key, and a JSON body if there is one. */
  readonly call: (method: string, path: string, body?: object) => Promise<Response>;
  /** One request with nothing but what is told. */
  readonly request: (path: string, init: RequestInit) => Promise<Response>;
  /** The SDK with another key. */
  readonly messagingWith: (apiKey: string) => MessagingAutomation;
}

/** One statement of the document, and how it shows. */
export interface ContractCase {
  /** The section, the endpoint if there is one, and the statement. */
  readonly name: string;
  readonly run: (hands: Hands) => Promise<void>;
  readonly options: WorldOptions;
}

export function contractCase(
  name: string,
  run: ContractCase['run'],
  options: WorldOptions = {},
): ContractCase {
  return { name, run, options };
}

export function handsOn(world: World): Hands {
  const { apiKey, baseUrl } = world;
  const messagingWith = (key: string) =>
    new MessagingAutomation({ apiKey: key, baseUrl, fetch: world.fetch });
  const request: Hands['request'] = (path, init) => (world.fetch ?? fetch)(`${baseUrl}${path}`, init);
  return {
    world,
    messaging: messagingWith(apiKey),
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
