import type { PostgresStore } from '../postgres/index.js';
import type { ReferenceServer } from '../server/index.js';
import type { ServeOptions } from './serve-options.js';
import { flagsOfBeginning } from './server-origin.js';
import { placeInWords, type StorePlace } from './store-options.js';

/** The store that a server shares with others, as a person or a program is told of it. */
export interface SharedStoreInfo extends StorePlace {
  /** The name of this server among those that share the store. */
  readonly replica: string;
  /** Flags that say what a new workspace begins with, and count for nothing beside one that is there. */
  readonly flagsForNew: readonly string[];
  /** Whether nobody gave the key. */
  readonly keyIsMadeUp: boolean;
}

export function sharedStoreInfo(
  place: StorePlace,
  { replica }: PostgresStore,
  options: ServeOptions,
  keyIsMadeUp: boolean,
): SharedStoreInfo {
  return { ...place, replica, flagsForNew: flagsOfBeginning(options), keyIsMadeUp };
}

/** The lines of the ready message. */
export function describeSharedStore(info: SharedStoreInfo): readonly string[] {
  const { replica, flagsForNew, keyIsMadeUp } = info;
  return [
    `  It shares ${placeInWords(info)} as replica ${replica}`,
    '  The same command, here on another --port or elsewhere, starts another replica',
    ...(flagsForNew.length === 0
      ? []
      : [`  For a new workspace alone: ${flagsForNew.join(', ')}. One that is there keeps what it holds.`]),
    ...(keyIsMadeUp
      ? ['  The key below is made up, and is one more at each start: give one with --api-key']
      : []),
  ];
}

/** An approved template of the workspace, to try a send with. */
export async function approvedTemplateOf(server: ReferenceServer): Promise<string | undefined> {
  const templates = await server.templates.list();
  return templates.find(({ status }) => status === 'approved')?.id;
}
