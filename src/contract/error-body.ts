import * as z from 'zod/mini';
import type { ErrorCode } from './error.js';
import type { Schema } from './schema.js';

/** One wrong field of a request. */
export interface ErrorDetail {
  readonly field: string;
  readonly message: string;
}

/** The body of an error as the reference server writes it. The service documents codes, but no body. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode | (string & {});
    readonly message: string;
    readonly details?: readonly ErrorDetail[] | undefined;
  };
}

/** An error body. The service does not document its shape beyond the code. */
export const errorBodySchema: Schema<ErrorBody> = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    details: z.optional(z.array(z.looseObject({ field: z.string(), message: z.string() }))),
  }),
});
