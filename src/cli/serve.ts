import { Command, InvalidArgumentError, Option } from 'commander';
import { duration } from './duration.js';
import { defaultPort, type ServeOptions } from './serve-options.js';
import { serve } from './serve-until-stopped.js';
import { withStoreOptions } from './store-options.js';
import type { Terminal } from './terminal.js';

const examples = `
Examples:
  $ messaging-automation serve
  $ messaging-automation serve --port 8080 --api-key test_key --quota 100
  $ messaging-automation serve --seed seed.yaml
  $ messaging-automation serve --seed seed.yaml --state state.json
  $ messaging-automation serve --store postgres://user:password@host/database
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

--store URL keeps everything in a PostgreSQL database instead, and any number of
servers can share it: each answers any request, and what one accepts another
delivers. The seed, --quota and --delivery-timestamps are for a new workspace; one
that is in the database keeps what it holds. It creates and updates its tables by
itself, and waits 30 s for a database that starts. It needs the packages pg and
graphile-worker. A URL on a command line shows in the list of processes:
$MESSAGING_AUTOMATION_STORE does not.

Ctrl-C, or a signal, stops it: it takes no more requests, and ends what is under
way. With a store, others go on with the rest. A second one ends it at once.

Exit codes:
  0  Ctrl-C or a signal stopped it
  1  it could not write its last state
  2  it could not start
`;

/** `messaging-automation serve`: runs the reference server until it is told to stop. */
export function serveCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  const command = new Command('serve')
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
    );
  return withStoreOptions(command)
    .option('--replica <name>', 'name of this server among those that share the store (default: made up)')
    .option('--metrics', 'serve counts at /metrics, as OpenMetrics text, to whoever asks', false)
    .option(
      '--shutdown-grace <duration>',
      'how long work under way may take after Ctrl-C or a signal (default: 1s, or 6s with a store)',
      duration,
    )
    .option('--json', 'log as JSON, one object a line', false)
    .addHelpText('after', examples)
    .action(async (options: ServeOptions) => exitWith(await serve(terminal, options)));
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
