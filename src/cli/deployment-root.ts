/** Where a deployment stands, without the `/api` at the end of its base URL. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/api$/, '');
}
