import { isThisMachine } from '../../foundation/this-machine.js';

/** Where a connection was to lead, and what decides its way. */
export interface Way {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version of Node.js. Default: that of this process. */
  readonly node?: string;
  /** How to start what nothing listens for. */
  readonly start?: string;
}

/** What a code says, and what to do. */
type Cause = readonly [codes: RegExp, happened: string, remedy: (way: Way) => string];

const correctUrl = () => 'Correct the host and the port in the URL.';
const checkNetwork = () => 'Check the network, the VPN and the firewalls between.';
const correctClock = () => 'Set the clock of this machine, if it is wrong. Else renew the certificate.';

/** The causes of a connection that fails, by the codes of Node.js, undici and OpenSSL. */
const causes: readonly Cause[] = [
  [
    /^(UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED|INVALID_CA)$/,
    'Its certificate leads to an authority that Node.js does not trust, such as that of a company',
    (way) => trusting(way, "that authority's root certificate"),
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    'Its certificate is signed by itself',
    (way) => trusting(way, 'that certificate'),
  ],
  [/^CERT_HAS_EXPIRED$/, 'Its certificate has expired', correctClock],
  [/^CERT_NOT_YET_VALID$/, 'Its certificate is not valid yet', correctClock],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'Its certificate is for another host', correctUrl],
  [/^(CERT_|ERR_TLS_CERT_|UNABLE_TO_)/, 'Its certificate was not accepted', () => 'Renew the certificate.'],
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST)$/,
    'It does not speak TLS at that port',
    () => 'Write http:// if it has no TLS, or correct the port.',
  ],
  [
    /^ERR_SSL_/,
    'It and Node.js have no version or cipher of TLS in common',
    () => 'Update the server, or correct the port.',
  ],
  [/^ENOTFOUND$/, 'Its host name has no address', () => 'Correct the host in the URL.'],
  [/^EAI_AGAIN$/, 'The name server does not respond', () => 'Check the network, and try again.'],
  [
    /^ECONNREFUSED$/,
    'Nothing listens at that host and port',
    ({ start = 'Start it, or correct the URL.' }) => start,
  ],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'It did not take the connection in time', checkNetwork],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    'No way leads to its address',
    checkNetwork,
  ],
  [/^(EACCES|EPERM)$/, 'This machine forbids the connection', () => 'Check its firewall or sandbox.'],
  [
    /^(ECONNRESET|UND_ERR_SOCKET|EPIPE|HPE_\w+)$/,
    'It cut the connection, or speaks another protocol',
    ({ url }) =>
      url.startsWith('http:')
        ? 'Write https:// if that port speaks TLS. Else look at its log.'
        : 'Try again. If that does not help, look at its log, and at the proxy or firewall between.',
  ],
  [
    /^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/,
    'It took the request, and did not respond in time',
    () => 'Look at its log.',
  ],
];

/** Codes with which a connection fails that only a proxy could make. */
const outOfReach =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EACCES|EPERM|ECONNRESET|UND_ERR_SOCKET)$/;

/** Why a connection failed: what happened and what to do as sentences, which are empty for a cause that is not known, and the code. */
export interface Explanation {
  readonly sentences: string;
  readonly code: string | undefined;
}

/** @param error - What `fetch`, a socket or a client of a database threw, or its message. */
export function explainConnection(error: unknown, way: Way): Explanation {
  const chain = chainOf(error);
  const [, cause] = chain;
  // `fetch` hides a 407 behind an error that says nothing.
  const isHidden =
    cause !== undefined && chain.every((each) => each.code === '') && isSilent(chain.at(-1)?.message);
  const refusal = isHidden ? refusedByProxy(407) : chain.map(refusalOfProxy).find(Boolean);
  const code = chain.map((each) => each.code).findLast(Boolean);
  if (refusal !== undefined) return { sentences: refusal, code };
  if (chain.some(({ message }) => message === 'bad port'))
    return { sentences: 'Node.js makes no requests to that port. Choose another one.', code };
  for (const known of chain.map((each) => each.code).toReversed()) {
    const [, happened, remedy] = causes.find(([codes]) => codes.test(known)) ?? [];
    if (happened === undefined || remedy === undefined) continue;
    const proxy = outOfReach.test(known) ? aboutProxy(way) : '';
    return { sentences: `${happened} (${known}). ${proxy || remedy(way)}`, code: known };
  }
  return { sentences: '', code };
}

/** The way to a database or a receiver, which goes through no proxy. */
export function directWay(
  url: string,
  { env: { NODE_EXTRA_CA_CERTS } }: Pick<Way, 'env'>,
  start?: string,
): Way {
  return { url, env: { NODE_EXTRA_CA_CERTS }, ...(start !== undefined && { start }) };
}

/** What to do about a certificate that Node.js does not trust. */
function trusting({ env }: Way, certificate: string): string {
  const file = env.NODE_EXTRA_CA_CERTS;
  return file
    ? `NODE_EXTRA_CA_CERTS names ${file}, which cannot be read, or does not hold ${certificate}.`
    : `Set NODE_EXTRA_CA_CERTS to a PEM file with ${certificate}.`;
}

/** A proxy that the environment names for a URL, and whether Node.js uses it: what to do. Empty if there is none. */
export function aboutProxy(way: Way): string {
  const name = proxyFor(way);
  if (name === undefined) return '';
  if (usesProxies(way.env))
    return `The request goes through the proxy that ${name} names: check its address. NO_PROXY lists the hosts that are reached without it.`;
  const { node = process.versions.node } = way;
  const update = knowsProxies(node)
    ? ''
    : `, from version 22.21 and 24 on; this is ${node}, which uses no proxy`;
  return `${name} is set, and Node.js uses it only with NODE_USE_ENV_PROXY=1${update}.`;
}

/** Why a host of this machine may respond as a stranger: its request went through a proxy. Empty if it did not. */
export function aboutDetour(way: Way): string {
  const name = proxyFor(way);
  if (name === undefined || !usesProxies(way.env)) return '';
  const { hostname } = new URL(way.url);
  if (!isThisMachine(hostname)) return '';
  return `The request went through the proxy that ${name} names. Add ${hostname} to NO_PROXY.`;
}

/** The variable that names a proxy for a URL, if one does. */
function proxyFor({ url, env }: Way): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = names.find((each) => env[each]);
  if (name === undefined || (isThisMachine(hostname) && !usesProxies(env))) return undefined;
  const exceptions = (env.no_proxy || env.NO_PROXY || '').split(/[\s,]+/).filter(Boolean);
  const isExcepted = (exception: string) => {
    const [, host = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? [];
    const isHost = host === '' || hostname === host || hostname.endsWith(`.${host}`);
    return isHost && (only === undefined || only === (port || (protocol === 'https:' ? '443' : '80')));
  };
  return exceptions.some(isExcepted) ? undefined : name;
}

/** Whether Node.js was told to use the proxies of the environment. */
function usesProxies({ NODE_USE_ENV_PROXY, NODE_OPTIONS = '' }: Way['env']): boolean {
  return NODE_USE_ENV_PROXY === '1' || /--use-env-proxy\b/.test(NODE_OPTIONS);
}

function knowsProxies(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
}

/** An error, and what caused it. A host may have several addresses, each with an error of its own. */
function chainOf(thrown: unknown, depth = 0): readonly { readonly code: string; readonly message: string }[] {
  if (depth === 5 || thrown === undefined || thrown === null) return [];
  const { code, message, cause, errors }: Readonly<Record<string, unknown>> = Object(thrown);
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const text = typeof thrown === 'string' ? thrown : typeof message === 'string' ? message : '';
  const named = typeof code === 'string' ? code : codeIn(text);
  return [{ code: named, message: text }, ...chainOf(cause ?? first, depth + 1)];
}

/** The codes of messages that are all that is known of an error. */
const messages: readonly (readonly [words: RegExp, code: string])[] = [
  [/self-signed certificate in certificate chain/, 'SELF_SIGNED_CERT_IN_CHAIN'],
  [/self-signed certificate/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [/unable to get local issuer certificate/, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  [/unable to verify the first certificate/, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/certificate has expired/, 'CERT_HAS_EXPIRED'],
  [/certificate is not yet valid/, 'CERT_NOT_YET_VALID'],
  [/does not match certificate's altnames/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/wrong version number|packet length too long|http request/, 'EPROTO'],
  [/socket hang up|other side closed|Parse Error/, 'ECONNRESET'],
];

function codeIn(text: string): string {
  const [, code] = messages.find(([words]) => words.test(text)) ?? [];
  return code ?? /\bE[A-Z]{4,}(?:_[A-Z]+)*\b/.exec(text)?.[0] ?? '';
}

function isSilent(message = ''): boolean {
  return message === '' || message === 'The connection failed.';
}

/** What a proxy responded to a request for a tunnel, as undici says it. */
function refusalOfProxy({ message }: { readonly message: string }): string | undefined {
  const [, status] = /Proxy response \((\d{3})\) !== 200/.exec(message) ?? [];
  return status && refusedByProxy(Number(status));
}

/** What to do about the status of a proxy. */
export function refusedByProxy(status: number): string {
  return status === 407
    ? 'The proxy asks for a name and a password (407). Write them into its variable: HTTPS_PROXY=http://name:password@host:port.'
    : `The proxy refused to connect (${status}). Check what it allows, and its variable, HTTPS_PROXY or HTTP_PROXY.`;
}
