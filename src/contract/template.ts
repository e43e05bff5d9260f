import { looseObject, type Schema, text } from './schema.js';

/**
 * An approved message template. The service documents only the id. The reference server sends the other fields, too.
 * Their type is `unknown`, because another deployment may send other values.
 */
export interface Template {
  /** The id that `transactional.send` takes as `templateId`. */
  readonly id: string;
  /** The service does not document this field. */
  readonly name?: unknown;
  /** The service does not document this field. */
  readonly language?: unknown;
  /** The service does not document this field. */
  readonly status?: unknown;
  /** The service does not document this field. */
  readonly body?: unknown;
  /** The service does not document this field. */
  readonly variables?: unknown;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** A template. */
export const templateSchema: Schema<Template> = looseObject({ id: text() });
