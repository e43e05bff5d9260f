import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/program.js';
import { folderWith } from '../folder.js';
import { within } from '../waiting.js';
import { FakeTerminal, type TerminalOptions } from './fake-terminal.js';

const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key' };

/** A command that runs in this process until the test is over. */
export type StartedCommand = ReturnType<typeof start>;

/** Starts a command, with the key of `serve` below in its environment. */
export function start(words: readonly string[], options: TerminalOptions = {}) {
  const terminal = new FakeTerminal({ env, ...options });
  const exit = run(words, terminal);
  const written = () => `${terminal.output}\n${terminal.complaints}`;
  const ended = () => within(`the end of ${words[0]}`, exit, written);
  const stop = () => {
    terminal.stop();
    return ended();
  };
  onTestFinished(async () => void (await stop()));
  return {
    terminal,
    /** The exit code, however long it takes. */
    exit,
    /** Resolves with the exit code. Rejects if the command goes on. */
    ended,
    /** Presses Ctrl-C, and resolves with the exit code. */
    stop,
  };
}

/** Runs a command to its end. */
export async function runCommand(words: readonly string[], options: TerminalOptions = {}) {
  const { terminal, ended } = start(words, options);
  const exitCode = await ended();
  const { output, printed: lines, complaints } = terminal;
  return { exitCode, output, lines, complaints };
}

/** Runs a command that calls a server to its end. */
export async function runAt(url: string, ...words: readonly string[]) {
  const { exitCode, lines, complaints } = await runCommand([...words, '--url', url]);
  return { exitCode, lines, complaints };
}

/** A server that `serve` runs. */
export type Served = Awaited<ReturnType<typeof startServe>>;

/** Runs `serve` on a free port with the key test_key, until the test is over. */
export function serve(...words: readonly string[]): Promise<Served> {
  return startServe(['--api-key', 'test_key', ...words]);
}

/** Runs `serve` on a free port without a key of its own. */
export async function startServe(words: readonly string[], options: TerminalOptions = {}) {
  const command = start(['serve', '--port', '0', '--json', ...words], { env: {}, ...options });
  const { terminal } = command;
  const early = command.exit.then((code) => {
    throw new Error(`serve ended with ${code}: ${terminal.complaints}`);
  });
  /** Its ready line. */
  const ready: Readonly<Record<string, unknown>> & Readonly<Record<'url' | 'apiKey', string>> = JSON.parse(
    await Promise.race([terminal.line(/"ready"/), early]),
  );
  const { url, apiKey } = ready;
  return { ...command, url, apiKey, ready, ask: askAt(url, apiKey) };
}

/** No response takes as long as this, in milliseconds, also on a busy machine: a test says which one did not come. */
const longestResponse = 60_000;

/** Calls a server with a key. Without a method: a GET, or a POST if there is a body. */
export function askAt(url: string, apiKey = 'test_key') {
  return (path: string, body?: object, { method, headers }: Pick<RequestInit, 'method' | 'headers'> = {}) =>
    fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestResponse),
    });
}

/** Writes a file that is removed when the test is over. */
export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  return join(folderWith({ [name]: content }), name);
}
