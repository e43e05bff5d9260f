import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from './fake-terminal.js';

/** What a test in another process has of a server that `serve` runs: HTTP and the log. */
export interface Served {
  readonly url: string;
  /** Asks with the key: a GET, or a POST where there is a body. */
  ask(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The log's line of the first delivery. */
  delivery(): Promise<unknown>;
}

/** Runs `serve` on a free port until the test is over. */
export async function serve(...words: readonly string[]): Promise<Served> {
  const terminal = new FakeTerminal();
  const exit = run(['serve', '--port', '0', '--json', '--api-key', 'test_key', ...words], terminal);
  onTestFinished(async () => {
    terminal.stop();
    await exit;
  });
  const url = await readyUrl(terminal, exit);
  return {
    url,
    ask: (path, body, headers) =>
      fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: 'Bearer test_key', 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    delivery: async () => JSON.parse(await terminal.line(/"type":"delivery"/)),
  };
}

/** The URL of the ready message of `serve`. Rejects if `serve` ends without one. */
export async function readyUrl(terminal: FakeTerminal, exit: Promise<number>): Promise<string> {
  const ended = exit.then((code) => {
    throw new Error(`serve ended with ${code}: ${terminal.complaints}`);
  });
  return JSON.parse(await Promise.race([terminal.line(/"ready"/), ended])).url;
}

/** Writes a file that is removed when the test is over. */
export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'served-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Runs a command that talks to a server, with the key of `serve` above, to its end. */
export async function runAt(url: string, ...words: readonly string[]) {
  const terminal = new FakeTerminal({ env: { MESSAGING_AUTOMATION_API_KEY: 'test_key' } });
  const exitCode = await run([...words, '--url', url], terminal);
  return { exitCode, lines: terminal.printed, complaints: terminal.complaints };
}
