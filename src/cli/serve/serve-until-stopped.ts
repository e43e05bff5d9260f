import type { PostgresStore } from '../../postgres/index.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import { stopSignal, type Terminal } from '../terminal/terminal.js';
import { describeState, keepState } from './kept-state.js';
import { describeLogEntry } from './log-lines.js';
import { prepareStore } from './prepare-store.js';
import { curl, type Ready, readyMessage } from './ready-message.js';
import type { ServeOptions } from './serve-options.js';
import { flagsOfBeginning, originOf } from './server-origin.js';
import { StateFile } from './state-file.js';
import { namedStore, type StorePlace } from './store-options.js';

/** Default of `--shutdown-grace` with a store, in milliseconds. A delivery attempt takes five seconds at most. */
const graceWithStore = 6_000;

/** How long after the ready message its last, empty line comes. In milliseconds. */
const untilLastLine = 1_000;

/** Where the server keeps its data. In memory, if neither is there. */
interface Keeping {
  readonly file: StateFile | undefined;
  readonly store: PostgresStore | undefined;
  /** The place of the store. */
  readonly place: StorePlace | undefined;
}

/** Serves until the user, or the system, asks to stop. Returns the exit code. */
export async function serve(terminal: Terminal, options: ServeOptions): Promise<number> {
  const { state, replica, waitForStore } = options;
  const named = namedStore(terminal, options);
  if (named === undefined) refuseFlagsOfStores(options);
  else if (state !== undefined) {
    throw new UsageError(
      `--state keeps everything in a file, and ${named.namedBy} in a database. Use only one of them.`,
    );
  }
  // Listen for signals before the ready message says that Ctrl-C stops the server.
  const stopRequested = terminal.stopRequested();
  const stop = stopSignal({ stopRequested: () => stopRequested });
  const store = named && (await prepareStore(named, { replica, waitForStore, stop }, terminal));
  if (named !== undefined && store === undefined) {
    sayStopped(terminal, options);
    return 0;
  }
  const file = state === undefined ? undefined : await StateFile.open(state);
  try {
    return await serveFrom({ file, store, place: named?.place }, terminal, options, stopRequested);
  } finally {
    await file?.close();
  }
}

async function serveFrom(
  { file, store, place }: Keeping,
  terminal: Terminal,
  options: ServeOptions,
  stopRequested: Promise<void>,
): Promise<number> {
  const replica = store && { replica: store.replica };
  const print = (entry: object) => terminal.print(JSON.stringify({ ...entry, ...replica }));
  const origin = await originOf(file, terminal, options);
  const shutdownGrace = options.shutdownGrace ?? (store && graceWithStore);
  const server = origin.createServer({
    store,
    receiverAddresses: options.receiverAddresses,
    cors: options.cors,
    workbench: options.ui,
    allowedHosts: options.allowedHosts,
    metrics: options.metrics,
    shutdownGrace,
    log: options.json ? print : (entry) => terminal.print(describeLogEntry(terminal, entry)),
  });
  const writeLastState = file && (await keepState(server, file, terminal));
  let isKept: boolean | undefined;
  try {
    const { url, baseUrl } = await server.listen(options).catch((error: unknown) => {
      throw new UsageError(whyNotListening(error, options));
    });
    const { apiKey } = server;
    const templates = await server.templates.list();
    const ready: Ready = {
      url,
      baseUrl,
      apiKey,
      page: options.ui ? `${url}/#key=${encodeURIComponent(apiKey)}` : undefined,
      templateId: templates.find(({ status }) => status === 'approved')?.id,
      state: file && (await describeState(server, file, origin, options)),
      store: store &&
        place && {
          ...place,
          replica: store.replica,
          flagsForNew: flagsOfBeginning(options),
          keyIsMadeUp: !origin.hasKey,
        },
    };
    const snippet = curl(ready, 'api/v1/contacts', { phone: '+15551234567' });
    if (options.json) print({ type: 'ready', ...ready, snippet });
    else terminal.print(readyMessage(terminal, ready));
    // Only a write shows that `head -1` has gone. Do not wait for the first request.
    const cancelLine = terminal.clock.setTimer(() => options.json || terminal.print(''), untilLastLine);
    await stopRequested;
    cancelLine();
    if (store !== undefined) {
      if (options.json) print({ type: 'stopping' });
      else terminal.print(stoppingWith(shutdownGrace));
    }
  } finally {
    await server.close();
    isKept = await writeLastState?.();
  }
  sayStopped(terminal, options, replica);
  if (isKept !== false) return 0;
  terminal.complain(`The changes since the last write of ${file?.path} are lost.\n`);
  return 1;
}

/** Rejects flags that have no effect without a store. */
function refuseFlagsOfStores({ replica, storeSchema }: ServeOptions): void {
  const flags = { '--replica': replica, '--store-schema': storeSchema };
  const [given] = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (given !== undefined) {
    throw new UsageError(
      `${given} is only for servers that share a database. Pass --store too, or leave it out.`,
    );
  }
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

function sayStopped(terminal: Terminal, { json }: ServeOptions, replica?: object): void {
  terminal.print(json ? JSON.stringify({ type: 'stopped', ...replica }) : 'Stopped.');
}
