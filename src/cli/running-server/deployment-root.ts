import { type ClientOptions, MessagingAutomation } from '../../index.js';
import { usable } from '../terminal/failures.js';

/** The URL of a deployment, without the `/api` at the end of its base URL. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** The base URL for a client. Adds `/api` only to a URL without a path, because a gateway may serve the API under another path. */
export function baseUrlOf(url: string): string {
  return new URL(url).pathname === '/' ? `${rootOf(url)}/api` : url.replace(/\/+$/, '');
}

/** A client of the deployment at a URL, which any command line names. */
export function clientAt(url: string, options: Omit<ClientOptions, 'baseUrl'>): MessagingAutomation {
  return usable(() => new MessagingAutomation({ ...options, baseUrl: baseUrlOf(url) }));
}
