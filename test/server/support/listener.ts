import type { RequestListener } from 'node:http';
import { serveRequests } from '../../cli/http-servers.js';

/** A webhook endpoint on this machine until the end of the test. Default port: a free one. */
export async function startListener(listener: RequestListener, port?: number): Promise<string> {
  return `${await serveRequests(listener, port)}/hooks`;
}
