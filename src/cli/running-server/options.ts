import type { Command } from 'commander';
import { type ClientOptions, MessagingAutomation } from '../../index.js';
import { UsageError, usable } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { type ControlSurface, controlSurface, rootOf } from './control-surface.js';

/** The default port: `serve` listens on it, and the commands that call a server use it. */
export const defaultPort = 4010;

/** The flags of every command that calls a running server. */
export interface ControlOptions {
  readonly url?: string;
  readonly apiKey?: string;
  /** Whether to print JSON. `mcp` alone does not have it. */
  readonly json?: boolean;
}

const defaultUrl = `http://127.0.0.1:${defaultPort}`;

/** Adds the flags that select the server and its workspace. */
export function withControlOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      `URL of the server, with or without /api (default: $MESSAGING_AUTOMATION_BASE_URL, or ${defaultUrl})`,
    )
    .option('--api-key <key>', 'key of the workspace (default: $MESSAGING_AUTOMATION_API_KEY)');
}

/** The control surface that the flags and the environment name. */
export function controlSurfaceOf(terminal: Terminal, options: ControlOptions): ControlSurface {
  const { url, apiKey } = serverOf(terminal, options);
  return controlSurface(url, apiKey);
}

/** The server and the key that the flags and the environment name. */
export function serverOf(
  { env }: Terminal,
  {
    url = env.MESSAGING_AUTOMATION_BASE_URL || defaultUrl,
    apiKey = env.MESSAGING_AUTOMATION_API_KEY,
  }: ControlOptions,
): { readonly url: string; readonly apiKey: string } {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError('The URL of the server must begin with http:// or https://.');
  }
  if (!apiKey) {
    throw new UsageError(
      'The API key is missing. Pass --api-key or set $MESSAGING_AUTOMATION_API_KEY. serve prints the key when it starts.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError('The key must be printable ASCII without spaces.');
  return { url, apiKey };
}

/** The base URL for a client. Adds `/api` only to a URL without a path, because a gateway may serve the API under another path. */
export function baseUrlOf(url: string): string {
  return new URL(url).pathname === '/' ? `${rootOf(url)}/api` : url.replace(/\/+$/, '');
}

/** A client of the deployment at a URL, which any command line names. */
export function clientAt(url: string, options: Omit<ClientOptions, 'baseUrl'>): MessagingAutomation {
  return usable(() => new MessagingAutomation({ ...options, baseUrl: baseUrlOf(url) }));
}
