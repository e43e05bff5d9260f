/**
 * The status of a template at the chat provider. Only an approved template can be sent. The document names only
 * `approved`; the reference server adds the others.
 *
 * @example
 * ```ts
 * import type { TemplateStatus } from 'messaging-automation/server';
 *
 * const status: TemplateStatus = 'pending';
 * ```
 */
export type TemplateStatus = 'approved' | 'pending' | 'rejected' | 'paused';
