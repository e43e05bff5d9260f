import ipaddr from 'ipaddr.js';

/**
 * Where deliveries may go.
 *
 * - `public`: to HTTPS endpoints at public addresses alone, as a service on the internet must have it.
 * - `loopback`: also to this machine, over HTTP too: the default, for tests.
 * - `any`: wherever a URL leads, over HTTP too, for a network of containers.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReceiverAddresses } from 'messaging-automation/server';
 *
 * const receiverAddresses: ReceiverAddresses = 'public';
 * await using server = createReferenceServer({ receiverAddresses });
 * ```
 */
export type ReceiverAddresses = 'public' | 'loopback' | 'any';

/** The longest URL that is taken, in characters. */
const longestUrl = 2_048;

/** White space and control characters: who reads a URL drops some of them, trims others and encodes the rest. */
const blank = /[\s\p{Cc}]/u;

/** What keeps a subscription's URL from being delivered to, in words; undefined for one that may be. */
export function problemWithUrl(text: string, allowed: ReceiverAddresses): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL, such as https://example.com/hooks';
  if (text.length > longestUrl) return `must have no more than ${longestUrl} characters`;
  if (blank.test(text)) return 'must hold no white space; a space in a path is %20';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (allowed === 'any') return undefined;
  const { hostname } = url;
  const ofThisMachine = isLoopbackName(hostname);
  if (url.protocol === 'http:' && !(ofThisMachine && allowed === 'loopback')) {
    return allowed === 'loopback'
      ? 'must begin with https:// (http:// is let through for localhost, 127.0.0.0/8 and [::1] alone)'
      : 'must begin with https://';
  }
  if (ofThisMachine) return allowed === 'loopback' ? undefined : notPublic;
  const address = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(address) ? problemWithAddress(address, allowed) : undefined;
}

/**
 * What keeps an address that a name stands for from being connected to. Asked of the very address that the connection is
 * then made to, so that a name cannot stand for one address when it is checked and for another when it is used.
 */
export function problemWithAddress(address: string, allowed: ReceiverAddresses): string | undefined {
  if (allowed === 'any') return undefined;
  if (!ipaddr.isValid(address)) return notPublic;
  // An IPv4 address may be written as an IPv6 one; what counts is where it leads.
  const leadsTo = ipaddr.process(address);
  const range = leadsTo.range();
  if (range === 'unicast' && ipaddr.subnetMatch(leadsTo, { assigned }, '') !== '') return undefined;
  return range === 'loopback' && allowed === 'loopback' ? undefined : notPublic;
}

/** Of IPv6, what is given out for use on the internet (RFC 4291); the rest holds forms of the past, such as `::10.0.0.1`. */
const assigned = [ipaddr.parseCIDR('0.0.0.0/0'), ipaddr.parseCIDR('2000::/3')];

const notPublic = 'must lead to a public address';

/** Names that stand for this machine whatever a resolver says (RFC 6761), and its addresses. */
function isLoopbackName(hostname: string): boolean {
  return (
    /^(.+\.)?localhost\.?$/.test(hostname) || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}
