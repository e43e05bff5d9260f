import { MessagingAutomation } from 'messaging-automation';
import type { Environment, EnvironmentOptions } from './environment.js';

/** What a case works with: a fresh environment, the SDK on it, and bare HTTP for what the SDK hides. */
export interface Fixtures {
  readonly environment: Environment;
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
  readonly run: (hands: Fixtures) => Promise<void>;
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
  return {
    environment,
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
