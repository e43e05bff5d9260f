/** The message of an error, or of any thrown value. */
export function messageOf(error: unknown): string {
  const { message }: { message?: unknown } = Object(error);
  return typeof message === 'string' ? message : String(error);
}
