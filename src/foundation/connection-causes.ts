import { type CauseKind, causes, codeIn, type Way } from './causes.js';
import { isThisMachine } from './this-machine.js';

export type { Way } from './causes.js';

/** Codes with which a connection fails that only a proxy could make. */
const outOfReach =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EACCES|EPERM|ECONNRESET|UND_ERR_SOCKET)$/;

/** Why a connection or a statement failed: what happened and what to do as sentences, which are empty for a cause that is not known, and the code. */
export interface Explanation {
  readonly sentences: string;
  readonly code: string | undefined;
  /** Absent for a cause that is not known. */
  readonly kind?: CauseKind;
  /** The sentences with the words of the database, which name roles, databases and tables. */
  readonly inFull?: string;
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
  for (const { code: known, message } of chain.toReversed()) {
    const found = causes.find(([codes, , , , words]) => codes.test(known) && words?.test(message) !== false);
    if (found === undefined) continue;
    const [, kind, happened, remedy] = found;
    const toDo = (outOfReach.test(known) && aboutProxy(way)) || saidOf(remedy, way);
    const told = (about: string) => `${saidOf(happened, way)} (${about}). ${toDo}`;
    return { sentences: told(known), code: known, kind, inFull: told(withWords(known, message)) };
  }
  return { sentences: '', code };
}

function saidOf(words: string | ((way: Way) => string), way: Way): string {
  return typeof words === 'string' ? words : words(way);
}

/** The most characters that a log shows of the words of a database. */
const longestWords = 300;

/** A code of PostgreSQL, and its words. Those of the classes 22 and 23 are not told, because they have data. */
function withWords(code: string, message: string): string {
  if (!/^(?!22|23)[0-9A-Z]{5}$/.test(code) || !/\d/.test(code) || message === '') return code;
  return `${code}: ${message.replace(/\s+/g, ' ').slice(0, longestWords)}`;
}

/** The way to a database or a receiver, which goes through no proxy. */
export function directWay(
  url: string,
  { env: { NODE_EXTRA_CA_CERTS } }: Pick<Way, 'env'>,
  start?: string,
): Way {
  return { url, env: { NODE_EXTRA_CA_CERTS }, ...(start !== undefined && { start }) };
}

/** A proxy that the environment names for a URL, and whether Node.js uses it: what to do. Empty if there is none. */
export function aboutProxy(way: Way): string {
  const name = proxyFor(way);
  if (name === undefined) return '';
  if (usesProxies(way.env))
    return `The request goes through the proxy that ${name} names: check its address. NO_PROXY lists the hosts that are reached without it.`;
  const { node } = way;
  const update =
    node === undefined || knowsProxies(node)
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
  // What pg cuts at its own timeout says only that it was cut.
  const inner = text === 'Connection terminated due to connection timeout' ? undefined : (cause ?? first);
  return [{ code: named, message: text }, ...chainOf(inner, depth + 1)];
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
