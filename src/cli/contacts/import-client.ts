import { MessagingAutomation } from '../../index.js';
import { type ControlOptions, serverOf } from '../running-server/control-options.js';
import { baseUrlOf } from '../running-server/deployment-root.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';

/** Options of the client of an import. */
export interface ImportClientOptions extends ControlOptions {
  readonly allowInsecureHttp: boolean;
}

/** The deployment of an import. */
export interface ImportTarget {
  readonly client: MessagingAutomation;
  readonly baseUrl: string;
}

/** The deployment that the flags and the environment name. */
export function importTarget(terminal: Terminal, options: ImportClientOptions): ImportTarget {
  const { url, apiKey } = serverOf(terminal, options);
  const { allowInsecureHttp } = options;
  const baseUrl = baseUrlOf(url);
  try {
    return { client: new MessagingAutomation({ apiKey, baseUrl, allowInsecureHttp }), baseUrl };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** A deployment for `--dry-run`: the client checks its input, and nothing is sent. */
export function rehearsal(): ImportTarget {
  const baseUrl = 'http://127.0.0.1/api';
  const answer = { status: 201, body: '{"id":"dry_run","properties":{}}' } as const;
  const transport = {
    exchange: async () => ({ ...answer, headers: new Headers({ 'Content-Type': 'application/json' }) }),
  };
  return { client: new MessagingAutomation({ apiKey: 'dry_run', baseUrl, transport }), baseUrl };
}
