import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError } from '../../foundation/options.js';
import { runtimeProcess } from '../../foundation/process.js';
import { packageVersion } from '../../foundation/version.js';

/** Your application, as the `User-Agent` header names it to the service. */
export interface AppInfo {
  /** The name of the application, without spaces. */
  readonly name: string;
  /** The version of the application, without spaces. Default: none. */
  readonly version?: string | undefined;
  /** A URL with information about the application or a contact. Default: none. */
  readonly url?: string | undefined;
}

/** The keys of `process.versions` by runtime. Bun and Deno have the key `node`, too, so they come first. */
const runtimes = ['bun', 'deno', 'node'];

/**
 * The `User-Agent` header: this package, the runtime, and the application if given.
 *
 * @throws {ConfigurationError} when a part of `app` is not valid in a header.
 */
export function userAgent(app: AppInfo | undefined): string {
  const versions = runtimeProcess()?.versions;
  const runtime = isObject(versions)
    ? runtimes.find((name) => typeof versions[name] === 'string')
    : undefined;
  const parts = [`messaging-automation/${packageVersion}`];
  if (runtime !== undefined && isObject(versions)) parts.push(`${runtime}/${versions[runtime]}`);
  if (app !== undefined) parts.push(describe(app));
  return parts.join(' ');
}

function describe({ name, version, url }: AppInfo): string {
  const isToken = (text: unknown) => typeof text === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(text);
  if (!isToken(name) || (version !== undefined && !isToken(version)))
    throw new ConfigurationError('appInfo.name and appInfo.version must be words without spaces or slashes.');
  if (url !== undefined && !/^[\x21-\x27\x2a-\x7e]+$/.test(url))
    throw new ConfigurationError(
      'appInfo.url must be a URL without spaces, parentheses or characters beyond ASCII.',
    );
  return name + (version ? `/${version}` : '') + (url ? ` (${url})` : '');
}
