/** What an error says. */
export function messageOf(error: unknown): string {
  const { message }: { message?: unknown } = Object(error);
  return typeof message === 'string' ? message : String(error);
}
