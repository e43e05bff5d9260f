import {
  createReferenceServer,
  parseServerState,
  type ReferenceServer,
  type ReferenceServerOptions,
  type ServerState,
  type WorkspaceSeed,
} from '../../server/index.js';
import { usable } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { checkedSeed, readSeedFile } from './seed-file.js';
import type { ServeOptions } from './serve-options.js';
import type { StateFile } from './state-file.js';

/** The options that each start sets again. They override the state. */
export type StartOptions = Pick<
  ReferenceServerOptions,
  'log' | 'store' | 'receiverAddresses' | 'cors' | 'workbench' | 'allowedHosts' | 'metrics' | 'shutdownGrace'
>;

/** The seed or the state that a server starts with. */
export interface ServerOrigin {
  /** @throws UsageError if the options or the state are invalid. */
  readonly createServer: (start: StartOptions) => ReferenceServer;
  /** Whether the key was given. If not, the server generates one. */
  readonly hasKey: boolean;
  /** The state that the server continues from, if any. */
  readonly state: ServerState | undefined;
}

/** Without a seed file, the workspace has one template, so that a send works at once. */
const defaultSeed: WorkspaceSeed = {
  templates: [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }],
};

/** Reads the state file if it exists, otherwise the seed file or the default seed. */
export async function originOf(
  file: StateFile | undefined,
  terminal: Terminal,
  options: ServeOptions,
): Promise<ServerOrigin> {
  const content = await file?.read();
  if (file === undefined || content === undefined) {
    const seed = await seedFor(terminal, options);
    return {
      createServer: (start) => usable(() => createReferenceServer({ ...seed, ...start })),
      hasKey: seed.apiKey !== undefined,
      state: undefined,
    };
  }
  const refusal = (error: unknown) => file.refusal(error);
  const state = usable(() => parseServerState(content), refusal);
  const { apiKey = terminal.env.MESSAGING_AUTOMATION_API_KEY } = options;
  return {
    createServer: (start) => usable(() => createReferenceServer({ state, apiKey, ...start }), refusal),
    hasKey: apiKey !== undefined,
    state,
  };
}

/** The given flags that apply only to a new workspace. */
export function flagsOfBeginning({ seed, quota, deliveryTimestamps }: ServeOptions): readonly string[] {
  const beginnings = { '--seed': seed, '--quota': quota, '--delivery-timestamps': deliveryTimestamps };
  return Object.entries(beginnings).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

async function seedFor(terminal: Terminal, options: ServeOptions): Promise<WorkspaceSeed> {
  const seed = options.seed === undefined ? defaultSeed : await readSeedFile(options.seed);
  const apiKey = options.apiKey ?? seed.apiKey ?? terminal.env.MESSAGING_AUTOMATION_API_KEY;
  // A receiver in another process can only use the machine's clock.
  const deliveryTimestamps = options.deliveryTimestamps ?? seed.deliveryTimestamps ?? 'machine';
  return checkedSeed(
    { ...seed, apiKey, quota: options.quota ?? seed.quota, deliveryTimestamps },
    'The options of the command',
  );
}
