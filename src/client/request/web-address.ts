/** An address to make HTTP requests to; `undefined` where the text is none. */
export function webAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** Whether what is sent there crosses a network in clear text. It does not on this machine itself (RFC 6761). */
export function isCleartext({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
