import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';

/** One request to this server, with the key of the workspace. */
export interface RemedyRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** What removes the reason of a failure and tries again: requests to this server, one after the other. */
export interface Remedy {
  /** What the requests do, as the words on a button: `Restore 100 sends and send again`. */
  readonly label: string;
  readonly requests: readonly RemedyRequest[];
}

export const remedySchema: Schema<Remedy> = z.strictObject({
  label: z.string(),
  requests: z.array(
    z.strictObject({
      method: z.string(),
      path: z.string(),
      body: z.exactOptional(z.unknown()),
    }),
  ),
});
