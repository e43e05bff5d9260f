import * as z from 'zod/mini';
import { nonEmptyString, type Schema } from '../schema.js';

/** The parameter of a path that ends with `:id`. */
export const idInPath: Schema<{ id: string }> = z.object({ id: nonEmptyString });
