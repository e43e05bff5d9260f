import type { ReferenceServer, ReferenceWorkspace } from 'messaging-automation/server';
import { type Ask, askWith } from '../support/reference.js';

/** Asks the control surface of a workspace, by paths relative to `/control`. */
export function control(server: ReferenceServer, workspace?: Pick<ReferenceWorkspace, 'apiKey'>): Ask {
  const ask = askWith(server, workspace);
  return (method, path, body, headers) => ask(method, `/../control${path}`, body, headers);
}
