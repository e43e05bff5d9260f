/** Why `fetch` failed. Only the cause of its error says so. */
export function reasonOf(error: unknown): string {
  const { message, cause, code }: { message?: unknown; cause?: unknown; code?: unknown } = Object(error);
  if (cause !== undefined) return reasonOf(cause);
  return String(message || code || error);
}
