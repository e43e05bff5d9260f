/** Why `fetch` failed: it says so only in the cause of its error. */
export function reasonOf(error: unknown): string {
  const { message, cause, code }: { message?: unknown; cause?: unknown; code?: unknown } = Object(error);
  if (cause !== undefined) return reasonOf(cause);
  return String(message || code || error);
}
