/** What an error says, for the person. */
export function messageOf(error: unknown): string {
  const message: unknown = Reflect.get(Object(error), 'message');
  return typeof message === 'string' && message !== '' ? message : String(error);
}
