import {
  anObject,
  ConfigurationError,
  type FieldProblem,
  type OptionCheck,
  type OptionChecks,
  required,
} from '../../foundation/options.js';
import { probe } from '../../foundation/runtime.js';
import { packageVersion } from '../../foundation/version.js';

type HeaderRecord = Readonly<Record<string, string>>;

/** The client sets these itself. */
const ownHeaders: readonly string[] = ['authorization', 'accept', 'content-type', 'content-length', 'host'];

/** The headers of every request by lower-case name, without the key, which each attempt adds. */
export function baseHeaders(headers: HeaderRecord = {}, app?: AppInfo): HeaderRecord {
  const problem = problemWithHeaders(headers);
  if (problem) throw new ConfigurationError(`${problem.field} ${problem.message}.`);
  return { 'user-agent': userAgent(app), ...lowerCased(headers), accept: 'application/json' };
}

/** The first header that is invalid, or that only the client may set. Never contains a value. */
export function problemWithHeaders(headers: Readonly<Record<string, unknown>>): FieldProblem | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const field = `headers.${name}`;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return { field, message: 'is not the name of an HTTP header' };
    if (ownHeaders.includes(name.toLowerCase()))
      return { field, message: 'is set by the client; leave it out' };
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return { field, message: 'must be a string without line breaks or characters beyond Latin-1' };
  }
  return undefined;
}

/**
 * The headers that middleware wants, with the client's own headers unchanged.
 *
 * @throws {TypeError} when a header is invalid, or only the client may set it.
 */
export function headersFromMiddleware(before: HeaderRecord, after: HeaderRecord): HeaderRecord {
  const wanted = lowerCased(after);
  const changes = Object.entries(wanted).filter(([name, value]) => value !== before[name]);
  const problem = problemWithHeaders(Object.fromEntries(changes));
  if (problem) throw new TypeError(`${problem.field} ${problem.message}.`);
  const own = Object.entries(before).filter(([name]) => ownHeaders.includes(name));
  return { ...wanted, ...Object.fromEntries(own) };
}

/** The headers by lower-case name. */
export function lowerCased(headers: HeaderRecord): HeaderRecord {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Your application, as the `User-Agent` header names it to the service. */
export type AppInfo = {
  /** The name of the application, without spaces. */
  readonly name: string;
  /** The version of the application, without spaces. Default: none. */
  readonly version?: string | undefined;
  /** A URL with information about the application or a contact. Default: none. */
  readonly url?: string | undefined;
};

/** The keys of `process.versions` by runtime. Bun and Deno have the key `node`, too, so they come first. */
const runtimes = ['bun', 'deno', 'node'];

/**
 * The `User-Agent` header: this package, the runtime, and the application if given.
 */
export function userAgent(app: AppInfo | undefined): string {
  const found = runtimes.map((name) => ({ name, version: probe('process', 'versions', name) }));
  const runtime = found.find(({ version }) => typeof version === 'string');
  const parts = [`messaging-automation/${packageVersion}`];
  if (runtime) parts.push(`${runtime.name}/${runtime.version}`);
  if (app !== undefined) parts.push(describe(app));
  return parts.join(' ');
}

const aWord: OptionCheck = [
  (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
  'a word without spaces or slashes',
];

/** What the option `appInfo` must be. */
export const appInfoChecks: OptionChecks = {
  appInfo: anObject,
  'appInfo.name': required(aWord),
  'appInfo.version': aWord,
  'appInfo.url': [
    (value) => typeof value === 'string' && /^[\x21-\x27\x2a-\x7e]+$/.test(value),
    'a URL without spaces, parentheses or characters beyond ASCII',
  ],
};

function describe({ name, version, url }: AppInfo): string {
  return name + (version ? `/${version}` : '') + (url ? ` (${url})` : '');
}
