/** The URL of a deployment, without the `/api` at the end of its base URL. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** The base URL for a client. Adds `/api` only to a URL without a path, because a gateway may serve the API under another path. */
export function baseUrlOf(url: string): string {
  return new URL(url).pathname === '/' ? `${rootOf(url)}/api` : url.replace(/\/+$/, '');
}
