import ipaddr from 'ipaddr.js';
import { longestReceiverUrl, receiverUrlPattern } from '../../contract/receiver-url.js';
import { isThisMachine } from '../../foundation/this-machine.js';

/**
 * Which URLs can receive deliveries.
 *
 * - `public`: only HTTPS endpoints at public addresses.
 * - `loopback`: also this machine, over HTTPS or HTTP. This is the default, for tests.
 * - `any`: every address, over HTTPS or HTTP. For a network of containers.
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

/** White space and control characters. URL parsers drop some, trim others and encode the rest. */
const blank = /[\s\p{Cc}]/u;

/** Returns why a URL cannot receive deliveries. Undefined if it can. */
export function problemWithUrl(text: string, allowed: ReceiverAddresses): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL, such as https://example.com/hooks';
  if (text.length > longestReceiverUrl) return `must have at most ${longestReceiverUrl} characters`;
  if (blank.test(text)) return 'must not contain white space; write a space in a path as %20';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (!receiverUrlPattern.test(text)) {
    return 'must be a URL as RFC 3986 defines it: https:// and a host in ASCII, other characters as %XX';
  }
  if (allowed === 'any') return undefined;
  const { hostname } = url;
  const ofThisMachine = isThisMachine(hostname);
  if (url.protocol === 'http:' && !(ofThisMachine && allowed === 'loopback')) {
    return allowed === 'loopback'
      ? 'must begin with https:// (http:// is allowed only for localhost, 127.0.0.0/8 and [::1])'
      : 'must begin with https://';
  }
  if (ofThisMachine) return allowed === 'loopback' ? undefined : notPublic;
  const address = hostname.replace(/[[\]]/g, '');
  return ipaddr.isValid(address) ? problemWithAddress(address, allowed) : undefined;
}

/**
 * Returns why the server must not connect to an address. Undefined if it may. The caller passes the exact address of the
 * connection, so that a name cannot resolve to one address for the check and to another for the connection.
 */
export function problemWithAddress(address: string, allowed: ReceiverAddresses): string | undefined {
  if (allowed === 'any') return undefined;
  if (!ipaddr.isValid(address)) return notPublic;
  // An IPv6 address can contain an IPv4 address: check the IPv4 address.
  const leadsTo = ipaddr.process(address);
  const range = leadsTo.range();
  if (range === 'unicast' && ipaddr.subnetMatch(leadsTo, { assigned: assigned() }, '') !== '')
    return undefined;
  return range === 'loopback' && allowed === 'loopback' ? undefined : notPublic;
}

/**
 * The IPv6 range that is assigned for the internet (RFC 4291), and all of IPv4. The rest includes obsolete forms, such as
 * `::10.0.0.1`. Parsed at its use, because that takes longer than most of a server's start.
 */
const assigned = () => [ipaddr.parseCIDR('0.0.0.0/0'), ipaddr.parseCIDR('2000::/3')];

const notPublic = 'must resolve to a public address';
