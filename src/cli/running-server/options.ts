import { type Command, InvalidArgumentError } from 'commander';
import { type ClientOptions, InvalidInputError, MessagingAutomation, RequestError } from '../../index.js';
import { describeRequestError } from '../terminal/failure-report.js';
import { CommandFailure, type FailureFacts, UsageError, usable } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { wayTo } from '../terminal/way.js';
import { ControlClient } from './control-client.js';
import { type Output, outputOf } from './responses.js';

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

/** Adds the flags that select a running server and its workspace. */
export function withServerOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      `URL of the server, with or without /api (default: $MESSAGING_AUTOMATION_BASE_URL, or ${defaultUrl})`,
    )
    .option('--api-key <key>', 'key of the workspace (default: $MESSAGING_AUTOMATION_API_KEY)');
}

/** The URL of the server that the flags and the environment name. */
export function urlOf({ env }: Pick<Terminal, 'env'>, { url }: ControlOptions): string {
  return url ?? (env.MESSAGING_AUTOMATION_BASE_URL || defaultUrl);
}

/** The server and the key that the flags and the environment name. */
export function serverOf(
  terminal: Terminal,
  options: ControlOptions,
): { readonly url: string; readonly apiKey: string } {
  const url = urlOf(terminal, options);
  const { apiKey = terminal.env.MESSAGING_AUTOMATION_API_KEY } = options;
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

/** Adds the flags of a command that calls a running server and prints a result. */
export function withControlOptions(command: Command): Command {
  return withServerOptions(command).option('--json', 'print JSON, one object a line', false);
}

/** A client of the control surface that the flags and the environment name. */
export function controlClientOf(terminal: Terminal, options: ControlOptions): ControlClient {
  const { url, apiKey } = serverOf(terminal, options);
  return new ControlClient(rootOf(url), apiKey, outputOf(terminal, options, [apiKey]), terminal);
}

/** The URL of a deployment, without the `/api` at the end of its base URL. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** The base URL for a client. Adds `/api` only to a URL without a path, because a gateway may serve the API under another path. */
export function baseUrlOf(url: string): string {
  return new URL(url).pathname === '/' ? `${rootOf(url)}/api` : url.replace(/\/+$/, '');
}

/** The flags of a command that calls any deployment. */
export interface DeploymentOptions extends ControlOptions {
  readonly allowInsecureHttp: boolean;
}

/** Adds the flags of a command that calls any deployment. */
export function withDeploymentOptions(command: Command): Command {
  return withControlOptions(command).option(
    '--allow-insecure-http',
    'send the key in clear text to another machine',
    false,
  );
}

/** The deployment that the flags and the environment name, and how to report about it. */
export interface Deployment extends Pick<Output, 'shown' | 'report'> {
  readonly baseUrl: string;
  readonly client: MessagingAutomation;
  /** Why a request failed, and what to do. */
  readonly describe: (error: unknown) => string;
  /** Why a request that is never repeated failed, and what became of it. What was wrong before it left is passed on. */
  readonly failureOfCall: (error: unknown) => unknown;
  /** The failure that this text describes. */
  readonly failure: (text: string, facts?: FailureFacts) => CommandFailure;
}

/**
 * @param settings - Options of the client. It is strict by default, because no command acts on a response that it cannot read.
 * @param secret - What the output must not show either.
 */
export function deploymentOf(
  terminal: Terminal,
  options: ControlOptions & Partial<DeploymentOptions>,
  settings: ClientOptions = {},
  secret = '',
): Deployment {
  const { url, apiKey } = serverOf(terminal, options);
  const baseUrl = baseUrlOf(url);
  const { allowInsecureHttp } = options;
  const { shown, report } = outputOf(terminal, options, [apiKey, secret]);
  const describe = (error: unknown) => describeRequestError(error, wayTo(baseUrl, terminal));
  const fromCommandLine = { apiKey, baseUrl, allowInsecureHttp };
  return {
    baseUrl,
    client: usable(() => new MessagingAutomation({ ...fromCommandLine, validation: 'strict', ...settings })),
    shown,
    report,
    describe,
    failureOfCall: (error) => {
      if (!(error instanceof RequestError) || error instanceof InvalidInputError) return error;
      const { outcome, status, code } = error;
      return new CommandFailure(shown(`${describe(error)} Outcome: ${outcome}.`), { outcome, status, code });
    },
    failure: (text, facts) => new CommandFailure(shown(text), facts),
  };
}

/** The flags that have a value. */
export function givenOf(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

/**
 * Reads what a flag that is repeatable gives to a name, and adds it to what it gave before.
 *
 * @param form - The name and what it gets.
 */
export const assignment =
  (form: RegExp, example: string) =>
  (text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
    const [, name, value] = form.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new InvalidArgumentError(`Write it as ${example}.`);
    return { ...before, [name]: value };
  };

/** Reads the value of a placeholder. */
export const variable = assignment(/^([^=]+)=(.*)$/s, '1=Ada');
