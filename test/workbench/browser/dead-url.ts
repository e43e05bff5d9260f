import { freePort } from '../../run/free-port.js';

/** Where nothing listens. */
export async function deadUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/hooks`;
}
