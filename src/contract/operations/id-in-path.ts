import { nonEmptyString, object, type Schema } from '../schema.js';

/** The parameter of a path that ends with `:id`. */
export const idInPath: Schema<{ id: string }> = object({ id: nonEmptyString });
