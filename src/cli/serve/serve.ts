import { Command, Option } from 'commander';
import { defaultPort } from '../running-server/options.js';
import type { CliCommand } from '../terminal/terminal.js';
import { duration, wholeNumber } from '../terminal/time.js';
import { serve } from './serve-until-stopped.js';
import { withStoreOptions } from './store.js';

/** `messaging-automation serve`: runs the reference server until a signal stops it. */
export const serveCommand: CliCommand = {
  define: () =>
    withStoreOptions(
      new Command('serve')
        .description('run the reference server: the whole service on this machine, for development and tests')
        .option('-p, --port <number>', 'port to listen on; 0 for any free port', wholeNumber, defaultPort)
        .option('--host <address>', 'address to listen on', '127.0.0.1')
        .option(
          '--api-key <key>',
          'key of the workspace (default: $MESSAGING_AUTOMATION_API_KEY, or generated)',
        )
        .option('--quota <number>', 'conversations of the plan (default: 1000)', wholeNumber)
        .option(
          '--seed <file>',
          'YAML or JSON file with templates, contacts, segments, journeys, quota and more',
        )
        .addOption(
          new Option(
            '--delivery-timestamps <whose>',
            'time that deliveries carry, which receivers check (default: machine)',
          ).choices(['machine', 'workspace']),
        )
        .addOption(
          new Option(
            '--receiver-addresses <which>',
            'where deliveries may go: only to public HTTPS endpoints, also to this machine, or anywhere, as containers need (default: loopback)',
          ).choices(['public', 'loopback', 'any']),
        )
        .option(
          '--cors <origins...>',
          "origins whose pages may call the server, or '*' for all (default: none)",
        )
        .option('--no-ui', 'leave out the workbench, the page at / that shows what happens')
        .option(
          '--allowed-hosts <names...>',
          'other names to allow in the Host header, for a proxy in front of the workbench (default: none)',
        )
        .option('--state <file>', 'keep all data in this file, and continue from it at the next start'),
    )
      .option('--replica <name>', 'name of this server among those that share the store (default: generated)')
      .option('--metrics', 'serve metrics at /metrics, as OpenMetrics text, without a key', false)
      .option(
        '--shutdown-grace <duration>',
        'how long current work may take after Ctrl-C or a signal (default: 1s, or 6s with a store)',
        duration,
      )
      .option('--json', 'log as JSON, one object a line', false),
  examples: `  $ messaging-automation serve
  $ messaging-automation serve --port 8080 --api-key test_key --quota 100
  $ messaging-automation serve --seed seed.yaml
  $ messaging-automation serve --seed seed.yaml --state state.json
  $ messaging-automation serve --store postgres://user:password@host/database
  $ messaging-automation serve --host 0.0.0.0 --receiver-addresses any     # in a container
  $ messaging-automation serve --cors http://localhost:5173                # for a page
  $ messaging-automation serve --metrics                                   # for Prometheus
  $ messaging-automation serve --json | jq 'select(.type == "delivery")'`,
  notes: `A seed file has the first data of the workspace, as YAML or JSON:
  quota: 100
  templates:
    - id: order_update
      body: Hello {{1}}, your order {{2}} is on its way.
  contacts:
    - phone: "+15551234567"
      properties: { firstName: Ada }

--state FILE keeps all data of the server, also its clock and faults. If the file
does not exist, serve starts from the seed and creates it. If it exists, serve
continues from it, and ignores --seed, --quota and --delivery-timestamps. It writes
the file within a second of each change, so a killed server loses at most a second.
The file holds signing secrets and phone numbers. It holds only digests of API
keys: issued keys stay valid.

--store URL keeps all data in a PostgreSQL database instead. Any number of servers
can share it: each answers any request, and can deliver what another accepted. The
seed, --quota and --delivery-timestamps apply to a new workspace. One that is
already in the database keeps its data. serve creates and updates its tables, and
waits 30 s for a database that starts at the same time. It needs the packages pg
and graphile-worker. A URL on a command line shows in the list of processes;
$MESSAGING_AUTOMATION_STORE does not.

Ctrl-C or a signal stops the server: it accepts no more requests, and finishes its
current work. With a store, other servers take over the rest. A second signal ends
it at once.

Exit codes:
  0  Ctrl-C or a signal stopped it
  1  it could not write its last state
  2  it could not start`,
  run: serve,
};
