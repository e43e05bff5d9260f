/** Whether a file operation failed with one of these codes. */
export function isFileError(error: unknown, ...codes: readonly string[]): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code }: { code?: unknown } = error;
  return typeof code === 'string' && codes.includes(code);
}
