import { Command, InvalidArgumentError, Option } from 'commander';
import {
  createReferenceServer,
  type DeliveryTimestamps,
  type ReceiverAddresses,
  type ReferenceServer,
  type ReferenceServerOptions,
  type WorkspaceSeed,
} from '../server/index.js';
import { describeLogEntry } from './log-lines.js';
import { curl, readyMessage } from './ready-message.js';
import { checkedSeed, readSeedFile } from './seed-file.js';
import { importSnapshotFile, writeSnapshotFile } from './snapshot-file.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKey?: string;
  readonly quota?: number;
  readonly deliveryTimestamps?: DeliveryTimestamps;
  readonly receiverAddresses?: ReceiverAddresses;
  readonly cors?: readonly string[];
  readonly seed?: string;
  readonly import?: string;
  readonly exportOnExit?: string;
  readonly json: boolean;
}

const examples = `
Examples:
  $ messaging-automation serve
  $ messaging-automation serve --port 8080 --api-key test_key --quota 100
  $ messaging-automation serve --seed seed.yaml
  $ messaging-automation serve --import state.json --export-on-exit state.json
  $ messaging-automation serve --host 0.0.0.0 --receiver-addresses any     # in a container
  $ messaging-automation serve --cors http://localhost:5173                # for a page
  $ messaging-automation serve --json | jq 'select(.type == "delivery")'

A seed file holds what the workspace begins with, as YAML or JSON:
  quota: 100
  templates:
    - id: order_update
      body: Hello {{1}}, your order {{2}} is on its way.
  contacts:
    - phone: "+15551234567"
      properties: { firstName: Ada }
`;

/** Without a seed file there is one template, so that a send can be tried at once. */
const defaultSeed: WorkspaceSeed = {
  templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
};

/** `messaging-automation serve`: runs the reference server until it is told to stop. */
export function serveCommand(terminal: Terminal): Command {
  return new Command('serve')
    .description('run the reference server: the whole service on this machine, for development and tests')
    .option('-p, --port <number>', 'port to listen on; 0 for any that is free', wholeNumber, 4010)
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
    .option('--import <file>', 'begin with what --export-on-exit has written, and at that time')
    .option('--export-on-exit <file>', 'write what the workspace holds when told to stop, secrets included')
    .option('--json', 'log as JSON, one object a line', false)
    .addHelpText('after', examples)
    .action((options: ServeOptions) => serve(terminal, options));
}

async function serve(terminal: Terminal, options: ServeOptions): Promise<void> {
  const log = (entry: object) => terminal.print(JSON.stringify(entry));
  const seed = await seedFor(terminal, options);
  const server = serverFor({
    ...seed,
    receiverAddresses: options.receiverAddresses,
    cors: options.cors,
    log: options.json ? log : (entry) => terminal.print(describeLogEntry(terminal, entry)),
  });
  if (options.import !== undefined) await importSnapshotFile(server, options.import);
  const { url, baseUrl } = await server.listen(options).catch((error: unknown) => {
    throw new UsageError(`Cannot listen on ${options.host}, port ${options.port}: ${messageOf(error)}`);
  });
  const templateId = seed.templates?.find(({ status = 'approved' }) => status === 'approved')?.id;
  const ready = { url, baseUrl, apiKey: server.apiKey, templateId };
  const example = { phone: '+15551234567' };
  if (options.json) log({ type: 'ready', ...ready, snippet: curl(ready, 'api/v1/contacts', example) });
  else terminal.print(readyMessage(terminal, ready));

  await terminal.stopRequested();
  await server.close();
  if (options.exportOnExit !== undefined) await writeSnapshotFile(server, options.exportOnExit);
  if (options.json) log({ type: 'stopped' });
  else terminal.print('Stopped.');
}

/** The server, or a usage error where its seed says what this server does not do. */
function serverFor(options: ReferenceServerOptions): ReferenceServer {
  try {
    return createReferenceServer(options);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

async function seedFor(terminal: Terminal, options: ServeOptions): Promise<WorkspaceSeed> {
  if (options.seed !== undefined && options.import !== undefined) {
    throw new UsageError('--seed and --import both say what the workspace begins with; give one of them.');
  }
  const seed = options.seed === undefined ? defaultSeed : await readSeedFile(options.seed);
  const apiKey = options.apiKey ?? seed.apiKey ?? terminal.env.MESSAGING_AUTOMATION_API_KEY;
  // A receiver in another process has no clock but the machine's.
  const deliveryTimestamps = options.deliveryTimestamps ?? seed.deliveryTimestamps ?? 'machine';
  return checkedSeed(
    { ...seed, apiKey, quota: options.quota ?? seed.quota, deliveryTimestamps },
    'What the command was given',
  );
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
