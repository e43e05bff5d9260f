import type { Command } from 'commander';
import { directWay, explainConnection } from '../../foundation/connection-causes.js';
import { databaseUrl } from '../../foundation/database-url.js';
import { type KeyValueService, MessagingAutomationError } from '../../index.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import { printable, shownWord, type Terminal } from '../terminal/terminal.js';
import { type OpenStore, openPostgres, openRedis } from './drivers.js';

/** The flags that name the store of a client. */
export interface KeyStoreOptions {
  readonly store?: string;
  readonly prefix?: string;
  readonly table?: string;
  readonly json: boolean;
}

/** Adds the flags that name the store of a client. */
export function withKeyStoreOptions(command: Command): Command {
  return command
    .option(
      '--store <url>',
      'store of the client: redis://…, rediss://… or postgres://… (default: $MESSAGING_AUTOMATION_KEY_STORE)',
    )
    .option('--prefix <text>', 'prefix of the keys in Redis (default: messaging-automation:)')
    .option('--table <name>', 'table in PostgreSQL (default: messaging_automation_keys)')
    .option('--json', 'print JSON, one object a line', false);
}

/** A store that the command line names. */
interface NamedStore {
  /** With the password. No message shows it. */
  readonly url: string;
  /** The flag or the variable that names it. */
  readonly namedBy: string;
  readonly kind: 'Redis' | 'PostgreSQL';
  /** The location for a message, without the user and the password. */
  readonly place: string;
}

/**
 * Does work with the store that the command line names.
 *
 * @throws UsageError if the store cannot be used.
 */
export async function withKeyStore<Result>(
  terminal: Terminal,
  options: KeyStoreOptions,
  work: (store: KeyValueService, place: string) => Promise<Result>,
): Promise<Result> {
  const named = namedKeyStore(terminal, options);
  let opened: OpenStore | undefined;
  try {
    opened =
      named.kind === 'Redis'
        ? await openRedis(named.url, options.prefix, terminal.clock)
        : await openPostgres(named.url, options.table, terminal.clock);
    return await work(opened.store, named.place);
  } catch (error) {
    throw unusable(terminal, named, error);
  } finally {
    opened?.close();
  }
}

/** Whether the URL of a store may have a password. */
export function isSecret(store: string | undefined): boolean {
  return store !== undefined && /[@?]/.test(store);
}

/** The flags of another command with the same store. A URL with a password stays away. */
export function sameStore({ store, prefix, table }: KeyStoreOptions): readonly string[] {
  return [
    ...(store === undefined
      ? []
      : ['--store', isSecret(store) ? '"$MESSAGING_AUTOMATION_KEY_STORE"' : shownWord(store)]),
    ...(prefix === undefined ? [] : ['--prefix', shownWord(prefix)]),
    ...(table === undefined ? [] : ['--table', shownWord(table)]),
  ];
}

/** The variable of the store. Version 0.2 had the name of the store of `serve`, which is another one, so a command says that it took it. */
const variable = 'MESSAGING_AUTOMATION_KEY_STORE';
const earlierVariable = 'MESSAGING_AUTOMATION_STORE';

function namedKeyStore(terminal: Terminal, { store, prefix, table }: KeyStoreOptions): NamedStore {
  const { env } = terminal;
  const url = store ?? (env[variable] || env[earlierVariable] || undefined);
  const namedBy = store !== undefined ? '--store' : `$${env[variable] ? variable : earlierVariable}`;
  if (url === undefined) throw new UsageError(`The store is missing. Pass --store or set $${variable}.`);
  if (namedBy === `$${earlierVariable}`)
    terminal.complain(
      `$${earlierVariable} names the store of serve, and is read here until version 1. Set $${variable}.\n`,
    );
  const kind = /^rediss?:/.test(url) ? 'Redis' : 'PostgreSQL';
  const host = kind === 'Redis' ? redisHost(url) : databaseUrl(url)?.host;
  if (host === undefined)
    throw new UsageError(
      `${namedBy} must be a URL such as redis://user:password@host, rediss://… or postgres://user:password@host/database. Characters such as @, / and # in a password must be percent-encoded.`,
    );
  if (kind === 'Redis' && table !== undefined)
    throw new UsageError('--table is only for a store in PostgreSQL.');
  if (kind === 'PostgreSQL' && prefix !== undefined)
    throw new UsageError('--prefix is only for a store in Redis.');
  return { url, namedBy, kind, place: printable(`the ${kind} at ${host}`) };
}

/** The host of a URL of Redis. Undefined if it is none, or an unencoded / in its password makes the rest of it look like a path. */
function redisHost(url: string): string | undefined {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const { host, pathname, search, hash } = new URL(url);
  return (pathname + search + hash).includes('@') ? undefined : host || 'localhost';
}

/** Why the store cannot be used. The message of another package may show the URL, so only its code is shown. */
function unusable(terminal: Terminal, { url, place, namedBy }: NamedStore, error: unknown): unknown {
  if (error instanceof UsageError) return error;
  if (error instanceof MessagingAutomationError) {
    const message = messageOf(error).replace(/^\w+: table /, '--table ');
    return new UsageError(printable(message));
  }
  const code = codeOf(error);
  const start = `Start it, or correct ${namedBy}.`;
  const { sentences } = explainConnection({ code }, directWay(url, terminal, start));
  return new UsageError(`Cannot use ${place}. ${sentences || `${code}. ${start}`}`);
}

/** The code of an error or of its cause, or else its class: some errors of a client have neither a code nor a name. */
function codeOf(error: unknown): string {
  const { code, name, cause }: Readonly<Record<string, unknown>> = Object(error);
  if (typeof code !== 'string' && cause !== undefined) return codeOf(cause);
  const words = [code, name === 'Error' ? undefined : name, Object(error).constructor?.name];
  return words.find((word) => typeof word === 'string' && /^\w{1,40}$/.test(word)) ?? 'unknown error';
}
