import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';

/** What removes the reason of a failure and tries again: requests to this server, one after the other. */
export interface Remedy {
  /** What the requests do, as the words on a button: `Restore 100 sends and send again`. */
  readonly label: string;
  /** The requests to make, in this order, with the key of the workspace. */
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
  }[];
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
