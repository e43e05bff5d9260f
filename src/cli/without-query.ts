/** A receiver's URL for people to see: a query may hold what only the receiver is to know. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
