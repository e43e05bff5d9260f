import { isObject } from '../../foundation/is-object.js';
import { runtimeProcess } from '../../foundation/process.js';
import { packageVersion } from '../../foundation/version.js';
import { ConfigurationError } from '../errors/usage-errors.js';

/** The application that calls, as its `User-Agent` names it to the service. */
export interface AppInfo {
  /** A name without spaces. */
  readonly name: string;
  /** The application's version. */
  readonly version?: string | undefined;
  /** Where to read about it, or whom to ask. */
  readonly url?: string | undefined;
}

/** Runtimes by the name under which `process.versions` has them; Bun and Deno claim to be Node as well. */
const runtimes = ['bun', 'deno', 'node'];

/**
 * Who calls: this package, the runtime, and the application where it says so.
 *
 * @throws {ConfigurationError} where a part of `app` cannot stand in a header.
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
