import type { PostgresStore } from '../../postgres/index.js';
import type { ReferenceServer } from '../../server/index.js';
import type { ServeOptions } from './serve-options.js';
import { flagsOfBeginning } from './server-origin.js';
import { placeInWords, type StorePlace } from './store-options.js';

/** The shared store of a server, for the ready message. */
export interface SharedStoreInfo extends StorePlace {
  /** The name of this server among those that share the store. */
  readonly replica: string;
  /** The given flags that apply only to a new workspace. */
  readonly flagsForNew: readonly string[];
  /** Whether the key was generated. */
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
    '  To start another replica, run the same command with another --port, or on another machine',
    ...(flagsForNew.length === 0
      ? []
      : [`  Only a new workspace uses ${flagsForNew.join(', ')}. One in the database keeps its data.`]),
    ...(keyIsMadeUp
      ? ['  The key below is generated, and each start adds another. Choose one with --api-key']
      : []),
  ];
}

/** An approved template of the workspace, to try a send with. */
export async function approvedTemplateOf(server: ReferenceServer): Promise<string | undefined> {
  const templates = await server.templates.list();
  return templates.find(({ status }) => status === 'approved')?.id;
}
