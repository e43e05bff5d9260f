import { onTestFinished } from 'vitest';
import { run } from '../../../src/cli/program.js';
import { FakeTerminal } from '../../cli/fake-terminal.js';

/** What the ready line of `serve --store --json` says. */
export interface ReadyReplica {
  readonly url: string;
  readonly apiKey: string;
  readonly templateId?: string;
  readonly replica: string;
  readonly store: object;
}

/** A replica that `serve --store` runs in this process. */
export interface ServedReplica {
  readonly ready: ReadyReplica;
  readonly terminal: FakeTerminal;
  /** Asks with the replica's key: a GET, or a POST where there is a body. */
  ask(
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: unknown }>;
  /** Presses Ctrl-C, and gives the exit code. */
  stop(): Promise<number>;
}

/** Starts `serve --json` on a free port until the test is over. */
export async function serveReplica(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServedReplica> {
  const terminal = new FakeTerminal({ env });
  const exit = run(['serve', '--port', '0', '--json', ...words], terminal);
  const stop = () => {
    terminal.stop();
    return exit;
  };
  onTestFinished(async () => void (await stop()));
  const failed = exit.then((code): never => {
    throw new Error(`serve ended with ${code}: ${terminal.complaints}`);
  });
  failed.catch(() => {});
  const ready: ReadyReplica = JSON.parse(await Promise.race([terminal.line(/"type":"ready"/), failed]));
  return {
    ready,
    terminal,
    stop,
    async ask(path, body) {
      const response = await fetch(ready.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${ready.apiKey}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
  };
}
