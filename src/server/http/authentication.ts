import { ServiceError } from '../model/service-error.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** Finds the workspace that a key opens. */
export type OpenWorkspace = (apiKey: string) => Promise<LiveWorkspace | undefined>;

/** §5: the workspace that the `Authorization: Bearer <API_KEY>` header opens, or 401. */
export async function authenticate(open: OpenWorkspace, header: string | undefined): Promise<LiveWorkspace> {
  const apiKey = bearerKey(header);
  if (apiKey === undefined) {
    throw new ServiceError('unauthorized', 'Send the API key in the header Authorization: Bearer <API_KEY>.');
  }
  const workspace = await open(apiKey);
  if (workspace === undefined) throw new ServiceError('unauthorized', 'The API key is not valid.');
  return workspace;
}

/** §5: the key in the `Authorization` header; undefined where there is none. */
export function bearerKey(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
}
