import { Command, InvalidArgumentError, Option } from 'commander';
import { duration } from './duration.js';
import { describeState, keepState } from './kept-state.js';
import { describeLogEntry } from './log-lines.js';
import { messageOf } from './message-of.js';
import { curl, type Ready, readyMessage } from './ready-message.js';
import { defaultPort, type ServeOptions } from './serve-options.js';
import { originOf } from './server-origin.js';
import { StateFile } from './state-file.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

const examples = `
Examples:
  $ messaging-automation serve
  $ messaging-automation serve --port 8080 --api-key test_key --quota 100
  $ messaging-automation serve --seed seed.yaml
  $ messaging-automation serve --seed seed.yaml --state state.json
  $ messaging-automation serve --host 0.0.0.0 --receiver-addresses any     # in a container
  $ messaging-automation serve --cors http://localhost:5173                # for a page
  $ messaging-automation serve --metrics                                   # for Prometheus
  $ messaging-automation serve --json | jq 'select(.type == "delivery")'

A seed file holds what the workspace begins with, as YAML or JSON:
  quota: 100
  templates:
    - id: order_update
      body: Hello {{1}}, your order {{2}} is on its way.
  contacts:
    - phone: "+15551234567"
      properties: { firstName: Ada }

--state FILE keeps everything that the server holds, its clock and faults
included. Without the file, serve starts from the seed and creates it. With the
file, serve continues from it, and ignores --seed, --quota and
--delivery-timestamps. It writes the file within a second of each change, so that
a server that is killed loses a second at most. The file holds signing secrets and
phone numbers. It holds no API keys, but those that were issued still work.

Ctrl-C, or a signal, stops it: it takes no more requests, and ends what is under
way. A second one ends it at once.

Exit codes:
  0  Ctrl-C or a signal stopped it
  1  it could not write its last state
  2  it could not start
`;

/** `messaging-automation serve`: runs the reference server until it is told to stop. */
export function serveCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return new Command('serve')
    .description('run the reference server: the whole service on this machine, for development and tests')
    .option('-p, --port <number>', 'port to listen on; 0 for any that is free', wholeNumber, defaultPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--api-key <key>',
      'key that opens the workspace (default: $MESSAGING_AUTOMATION_API_KEY, or made up)',
    )
    .option('--quota <number>', 'conversations of the plan (default: 1000)', wholeNumber)
    .option('--seed <file>', 'YAML or JSON file with templates, contacts, segments, journeys, quota and more')
    .addOption(
      new Option(
        '--delivery-timestamps <whose>',
        'whose time deliveries are stamped with: receivers go by it (default: machine)',
      ).choices(['machine', 'workspace']),
    )
    .addOption(
      new Option(
        '--receiver-addresses <which>',
        'where deliveries may go: to public HTTPS endpoints, also to this machine, or anywhere, as containers need it (default: loopback)',
      ).choices(['public', 'loopback', 'any']),
    )
    .option('--cors <origins...>', "origins whose pages may use the API, or '*' for all (default: none)")
    .option('--no-ui', 'serve no workbench, the page at / that shows what happens')
    .option(
      '--allowed-hosts <names...>',
      'further names in the Host header for a server with the workbench, as a local proxy sends them (default: none)',
    )
    .option(
      '--state <file>',
      'keep all that the server holds in this file, and go on from it at the next start',
    )
    .option('--metrics', 'serve counts at /metrics, as OpenMetrics text, to whoever asks', false)
    .option(
      '--shutdown-grace <duration>',
      'how long work under way may take after Ctrl-C or a signal (default: 1s)',
      duration,
    )
    .option('--json', 'log as JSON, one object a line', false)
    .addHelpText('after', examples)
    .action(async (options: ServeOptions) => exitWith(await serve(terminal, options)));
}

async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  const file = options.state === undefined ? undefined : await StateFile.open(options.state);
  try {
    return await serveFrom(file, terminal, options);
  } finally {
    await file?.close();
  }
}

async function serveFrom(
  file: StateFile | undefined,
  terminal: Terminal,
  options: ServeOptions,
): Promise<number> {
  const print = (entry: object) => terminal.print(JSON.stringify(entry));
  const origin = await originOf(file, terminal, options);
  const server = origin.createServer({
    receiverAddresses: options.receiverAddresses,
    cors: options.cors,
    workbench: options.ui,
    allowedHosts: options.allowedHosts,
    metrics: options.metrics,
    shutdownGrace: options.shutdownGrace,
    log: options.json ? print : (entry) => terminal.print(describeLogEntry(terminal, entry)),
  });
  const writeLastState = file && (await keepState(server, file, terminal));
  let isKept: boolean | undefined;
  // Before anybody reads that Ctrl-C stops it.
  const stopRequested = terminal.stopRequested();
  try {
    const { url, baseUrl } = await server.listen(options).catch((error: unknown) => {
      throw new UsageError(`Cannot listen on ${options.host}, port ${options.port}: ${messageOf(error)}`);
    });
    const { templateId } = origin;
    const state = file && (await describeState(server, file, origin));
    const { apiKey } = server;
    const page = options.ui ? `${url}/#key=${encodeURIComponent(apiKey)}` : undefined;
    const ready: Ready = { url, baseUrl, apiKey, page, templateId, state };
    const snippet = curl(ready, 'api/v1/contacts', { phone: '+15551234567' });
    if (options.json) print({ type: 'ready', ...ready, snippet });
    else terminal.print(readyMessage(terminal, ready));
    await stopRequested;
  } finally {
    await server.close();
    isKept = await writeLastState?.();
  }
  if (options.json) print({ type: 'stopped' });
  else terminal.print('Stopped.');
  if (isKept !== false) return 0;
  terminal.complain(`What changed since ${file?.path} was written last is lost.\n`);
  return 1;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
