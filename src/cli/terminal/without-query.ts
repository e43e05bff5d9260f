/** A receiver's URL for output, without its query, which may hold a secret. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
