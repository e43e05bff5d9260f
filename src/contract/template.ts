import * as z from 'zod/mini';
import type { Schema } from './schema.js';

/**
 * An approved message template (document §2).
 *
 * The document shows only the id. The reference server sends the other fields. Their type is `unknown`, because another
 * deployment may send other values.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * for (const template of await messaging.templates.list()) console.log(template.id, template.status);
 * ```
 */
export interface Template {
  /** What `transactional.send` takes as `templateId`. */
  readonly id: string;
  /** Not shown in the document. */
  readonly name?: unknown;
  /** Not shown in the document. */
  readonly language?: unknown;
  /** Not shown in the document. */
  readonly status?: unknown;
  /** Not shown in the document. */
  readonly body?: unknown;
  /** Not shown in the document. */
  readonly variables?: unknown;
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/** §2 Template. */
export const templateSchema: Schema<Template> = z.looseObject({ id: z.string() });
