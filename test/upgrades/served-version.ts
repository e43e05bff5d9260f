import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { environment } from '../package/commands.js';
import { within } from '../waiting.js';
import { commandLineOf, entryOf, type PackageVersion } from './versions.js';

/** The key of the first workspace of every server. */
export const apiKey = 'key_of_the_upgrade';

/** How long a server may take to start, also while it migrates. In milliseconds. */
const longestStart = 60_000;

/** `serve` of one version, in a process of its own. */
export class ServedVersion {
  readonly origin: string;
  readonly #package: PackageVersion;
  readonly #child: ChildProcess;

  private constructor(origin: string, version: PackageVersion, child: ChildProcess) {
    this.origin = origin;
    this.#package = version;
    this.#child = child;
  }

  /** @throws Error with what it printed, if it ends before it serves. */
  static async start(version: PackageVersion, words: readonly string[]): Promise<ServedVersion> {
    const child = launch(version, [
      'serve',
      '--port',
      '0',
      '--json',
      '--no-ui',
      '--api-key',
      apiKey,
      ...words,
    ]);
    const complaints = text(child.stderr);
    const ready = originIn(child.stdout).then(async (origin) => {
      if (origin !== undefined) return origin;
      throw new Error((await complaints).trim());
    });
    const origin = await within(`serve of ${version.name}`, ready, undefined, longestStart);
    return new ServedVersion(origin, version, child);
  }

  /** A client of the same version, with the key of the first workspace or another one. */
  async client(key = apiKey) {
    const { MessagingAutomation } = await entryOf(this.#package, 'index');
    return new MessagingAutomation({ apiKey: key, baseUrl: `${this.origin}/api`, retries: 0 });
  }

  /** Calls the control surface: a GET, or a POST if there is a body. */
  async control<Result>(path: string, body?: object): Promise<Result> {
    const response = await fetch(`${this.origin}/control${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** Ends it: at once with SIGKILL, in order with SIGTERM. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a command of a version. It ends with this process. */
export function launch(version: PackageVersion, words: readonly string[]) {
  const child = spawn(process.execPath, [commandLineOf(version), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment(), NO_COLOR: '1' },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Runs a command of a version to its end. */
export async function runCommand(version: PackageVersion, words: readonly string[]) {
  const child = launch(version, words);
  const [output, complaints, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { exitCode: Number(exitCode), output: output.trim(), complaints: complaints.trim() };
}

/** Starts `serve` where it may refuse to start. Says what it prints then, without the folder of the story; or that it serves. */
export async function tryToServe(
  version: PackageVersion,
  folder: string,
  words: readonly string[],
): Promise<string> {
  try {
    const server = await ServedVersion.start(version, words);
    await server.end('SIGKILL');
    return 'serves';
  } catch (error) {
    return `refuses: ${sentencesOf(error, folder)}`;
  }
}

/** What an error says, in one line, without the folder of the story. */
export function sentencesOf(error: unknown, folder: string): string {
  return String(error)
    .replace(/^(Error: )?error: /, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll('\n', ' ');
}

/** The origin in the line that says that the server is ready. Undefined if the output ends without it. */
async function originIn(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const { type, url }: { readonly type?: string; readonly url?: string } = JSON.parse(line);
    if (type !== 'ready') continue;
    output.resume(); // left unread, its output would one day fill the pipe
    return url;
  }
  return undefined;
}
