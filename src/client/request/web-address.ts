/** Parses an HTTP or HTTPS URL. `undefined` if the text is not one. */
export function webAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

/** Whether requests to the URL cross a network in clear text. Requests to this machine do not (RFC 6761). */
export function isCleartext({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
