/** Where a deployment stands, without the `/api` at the end of its base URL. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** The base URL of a client for it. A gateway may serve the API under another path: one that is there is taken as it is. */
export function baseUrlOf(url: string): string {
  return new URL(url).pathname === '/' ? `${rootOf(url)}/api` : url.replace(/\/+$/, '');
}
