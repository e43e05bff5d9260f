import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ServiceError } from '../service/service-error.js';
import type { Store, WorkspaceStore } from '../store/store.js';

/**
 * What the store keeps of an API key. Looking a key up by its digest takes no longer for a key that begins
 * like a real one.
 */
export function digestOfKey(apiKey: string): string {
  return bytesToHex(sha256(utf8ToBytes(apiKey)));
}

/** §5: the workspace that the `Authorization: Bearer <API_KEY>` header opens, or 401. */
export async function authenticate(store: Store, header: string | undefined): Promise<WorkspaceStore> {
  const [, apiKey] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
  if (apiKey === undefined) {
    throw new ServiceError('unauthorized', 'Send the API key in the header Authorization: Bearer <API_KEY>.');
  }
  const workspace = await store.findWorkspace(digestOfKey(apiKey));
  if (workspace === undefined) throw new ServiceError('unauthorized', 'The API key is not valid.');
  return workspace;
}
