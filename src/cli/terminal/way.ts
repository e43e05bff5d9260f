import type { Way } from '../../foundation/connection-causes.js';
import type { Terminal } from './terminal.js';

/** The way of a request from this process, which the environment may lead through a proxy. */
export function wayTo(url: string, { env }: Pick<Terminal, 'env'>, start?: string): Way {
  return { url, env, node: process.versions.node, ...(start !== undefined && { start }) };
}
