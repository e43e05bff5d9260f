import { once } from 'node:events';
import { Command, Option } from 'commander';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  type WorkspaceSeed,
} from '../../server/index.js';
import { defaultPort, givenOf } from '../running-server/options.js';
import { messageOf, UsageError, usable } from '../terminal/failures.js';
import { type CliCommand, stopSignal, type Terminal } from '../terminal/terminal.js';
import { duration, wholeNumber } from '../terminal/time.js';
import { describeLogEntry } from './log-lines.js';
import { curl, type Ready, readyMessage, stateInfo } from './ready-message.js';
import { readSeedFile } from './seed-file.js';
import { StateFile } from './state-file.js';
import { StateKeeper } from './state-keeper.js';
import {
  namedStore,
  type PreparedStore,
  prepareStore,
  type StoreOptions,
  withStoreOptions,
} from './store.js';

/** Options of the server that are flags, too. */
type ServerFlags = Pick<
  ReferenceServerOptions,
  'apiKey' | 'quota' | 'deliveryTimestamps' | 'receiverAddresses' | 'cors' | 'allowedHosts' | 'metrics'
>;

/** The flags of `serve`. */
interface ServeOptions extends StoreOptions, ServerFlags {
  readonly port: number;
  readonly host: string;
  /** Whether to serve the workbench. */
  readonly ui: boolean;
  readonly seed?: string;
  readonly state?: string;
  /** In milliseconds. */
  readonly shutdownGrace?: number;
  readonly json: boolean;
}

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
            'clock of the timestamps of deliveries, which receivers check (default: machine)',
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
        .option(
          '--state <file>',
          'keep all data of one server in this file, and continue from it at the next start',
        ),
    )
      .option('--replica <name>', 'name of this server among those that share the store (default: generated)')
      .option(
        '--pool-size <number>',
        'connections of this server to the database, plus two that listen (default: 10)',
        wholeNumber,
      )
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

--state FILE keeps all data of the server, also its clock and faults. It is meant
for one server and up to 100,000 contacts; for more, use --store. If the file does
not exist or is empty, serve starts from the seed and creates it. If it exists,
serve continues from it, and ignores --seed, --quota and --delivery-timestamps. It
writes the file within a second of each change, so a killed server loses at most a
second. The file of an earlier version of this package stays next to it, as
FILE.version-1. In a container, mount the folder of the file, not the file. The file
holds signing secrets and phone numbers. It holds only digests of API keys: issued
keys stay valid. The file of a failed test, NAME.failed.json, is only read: serve
shows the moment of the failure, and keeps changes in memory.

--store URL keeps all data in a PostgreSQL database instead. Any number of servers
can share it: each responds to any request, and can deliver what another accepted. The
seed, --quota and --delivery-timestamps apply to a new workspace. An existing workspace
keeps its data. serve creates and updates its tables, and waits 30 s for a database
that starts at the same time. It has --pool-size and two more connections, and needs
the packages pg and graphile-worker. A URL on a command
line shows in the list of processes; $MESSAGING_AUTOMATION_STORE does not.

Ctrl-C or a signal stops the server: it accepts no more requests, and finishes its
current work. With a store, other servers take over the rest. A second signal ends
it at once.

Exit codes:
  0  Ctrl-C or a signal stopped it
  1  it could not write its last state
  2  it could not start`,
  run: serve,
};

/** Default of `--shutdown-grace` with a store, in milliseconds. A delivery attempt takes five seconds at most. */
const graceWithStore = 6_000;

/** How long after the ready message its last, empty line comes. In milliseconds. */
const untilLastLine = 1_000;

/** Without a seed file, the workspace has one template, so that a send works at once. */
const defaultSeed: WorkspaceSeed = {
  templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
};

/** Serves until the user, or the system, asks to stop. Returns the exit code. */
async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  const { state, storeSchema } = options;
  const named = namedStore(terminal, options);
  const [useless] = givenOf({
    '--replica': options.replica,
    '--pool-size': options.poolSize,
    '--store-schema': storeSchema,
  });
  if (named === undefined && useless !== undefined) {
    throw new UsageError(
      `${useless} is only for servers that share a database. Pass --store too, or leave it out.`,
    );
  }
  if (named !== undefined && state !== undefined) {
    throw new UsageError(
      `--state keeps everything in a file, and ${named.namedBy} in a database. Use only one of them.`,
    );
  }
  // Listen for signals before the ready message says that Ctrl-C stops the server.
  const stop = stopSignal(terminal);
  const shared = named && (await prepareStore(named, options, terminal, stop));
  const replica = shared?.store.replica;
  const say: Say = (entry, ...lines) =>
    terminal.print(...(options.json ? [JSON.stringify({ ...entry, replica })] : lines));
  const file = state === undefined ? undefined : await StateFile.open(state);
  try {
    const isStoppedEarly = named !== undefined && shared === undefined;
    const isKept = isStoppedEarly || (await serveFrom({ file, shared }, say, terminal, options, stop));
    say({ type: 'stopped' }, 'Stopped.');
    if (!isKept) terminal.complain(`The changes since the last write of ${file?.path} are lost.\n`);
    return isKept ? 0 : 1;
  } finally {
    await file?.close();
  }
}

/** What outlasts the server. */
interface Kept {
  readonly file: StateFile | undefined;
  readonly shared: PreparedStore | undefined;
}

/** Prints an entry as JSON, or as these lines. */
type Say = (entry: object, ...lines: readonly string[]) => void;

/** Serves from a file, or from a store, or from memory, if neither is there. Resolves to whether the last state is kept. */
async function serveFrom(
  { file, shared }: Kept,
  say: Say,
  terminal: Terminal,
  options: ServeOptions,
  stop: AbortSignal,
): Promise<boolean> {
  const state = await file?.read();
  const isOfFailedTest = state?.failedTest !== undefined;
  // Others may open it at the same time, because it is only read.
  if (isOfFailedTest) await file?.close();
  const { apiKey = terminal.env.MESSAGING_AUTOMATION_API_KEY } = options;
  const origin = state === undefined ? await seedOf(terminal, options) : { state, apiKey };
  const { receiverAddresses, cors, allowedHosts, metrics } = options;
  const shutdownGrace = options.shutdownGrace ?? (shared && graceWithStore);
  let linkTo = '';
  const printNextLink = async () => {
    const page = await linkToPage(server, linkTo);
    say({ type: 'page', page }, `The page was opened. To open it again: ${page}`);
  };
  const server: ReferenceServer = usable(
    () =>
      createReferenceServer({
        ...origin,
        store: shared?.store,
        receiverAddresses,
        cors,
        allowedHosts,
        metrics,
        shutdownGrace,
        workbench: options.ui,
        log: (entry) => {
          const path = entry.type === 'request' ? entry.path : '';
          // A link opens the page only once.
          if (path === '/workbench/key' && 'status' in entry && entry.status === 200) void printNextLink();
          if (!path.startsWith('/workbench/')) say(entry, describeLogEntry(terminal, entry));
        },
      }),
    state === undefined ? refusalOfFlags : file?.refusal,
  );
  const keeper = isOfFailedTest ? undefined : file && new StateKeeper(server, file, terminal);
  await keeper?.start();
  let isKept: boolean | undefined;
  try {
    const { url, baseUrl } = await server
      .listen({ port: options.port, host: options.host })
      .catch((error: unknown) => {
        throw new UsageError(whyNotListening(error, options));
      });
    linkTo = url;
    const { seed, quota, deliveryTimestamps } = options;
    const flagsForNew = givenOf({
      '--seed': seed,
      '--quota': quota,
      '--delivery-timestamps': deliveryTimestamps,
    });
    const templates = await server.templates.list();
    const ready: Ready = {
      url,
      baseUrl,
      apiKey: server.apiKey,
      page: options.ui ? await linkToPage(server, url) : undefined,
      templateId: templates.find(({ status }) => status === 'approved')?.id,
      state: file && (await stateInfo(server, file, state, flagsForNew)),
      store: shared && {
        ...shared.place,
        replica: shared.store.replica,
        flagsForNew,
        keyIsMadeUp: origin.apiKey === undefined,
      },
    };
    const snippet = curl(ready, '/api/v1/contacts', { phone: '+15551234567' });
    say({ type: 'ready', ...ready, snippet }, ...readyMessage(terminal, ready));
    // Only a write shows that `head -1` has gone. Do not wait for the first request.
    const cancelLine = terminal.clock.setTimer(() => options.json || terminal.print(''), untilLastLine);
    if (!stop.aborted) await once(stop, 'abort');
    cancelLine();
    if (shared) say({ type: 'stopping' }, stoppingWith(shutdownGrace));
  } finally {
    await server.close();
    isKept = await keeper?.end();
  }
  return isKept !== false;
}

/** A link that opens the page once. */
async function linkToPage(server: ReferenceServer, url: string): Promise<string> {
  const headers = { Authorization: `Bearer ${server.apiKey}` };
  const response = await server.fetch(`${url}/workbench/codes`, { method: 'POST', headers });
  const { code }: { readonly code?: string } = await response.json();
  return `${url}/#code=${code}`;
}

async function seedOf({ env }: Terminal, options: ServeOptions): Promise<WorkspaceSeed> {
  const seed = options.seed === undefined ? defaultSeed : await readSeedFile(options.seed);
  return {
    ...seed,
    apiKey: options.apiKey ?? seed.apiKey ?? env.MESSAGING_AUTOMATION_API_KEY,
    quota: options.quota ?? seed.quota,
    // A receiver in another process can only use the machine's clock.
    deliveryTimestamps: options.deliveryTimestamps ?? seed.deliveryTimestamps ?? 'machine',
  };
}

/** The server names its options argument, of which a person with a command line knows nothing. */
function refusalOfFlags(error: unknown): UsageError {
  return new UsageError(messageOf(error).replace(/^.* createReferenceServer /, 'The command line '));
}

/** Explains why `listen` failed. It also opens the store, so only an error of the socket is about the address. */
function whyNotListening(error: unknown, { host, port }: ServeOptions): string {
  const { syscall, code }: { readonly syscall?: unknown; readonly code?: unknown } = Object(error);
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return messageOf(error);
  if (code !== 'EADDRINUSE') return `Cannot listen on ${host}, port ${port}: ${messageOf(error)}`;
  return `Cannot listen on ${host}: another program uses port ${port} (EADDRINUSE). Stop that program, or choose another port with --port; 0 takes any free one.`;
}

function stoppingWith(grace = 0): string {
  return `Stopping. Current work has ${grace / 1_000} s to finish, and other replicas take over the rest. Press Ctrl-C again to stop at once.`;
}
