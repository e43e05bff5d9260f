/**
 * How a template stands with the chat provider; only an approved one can be sent. The document names no other
 * status: the rest are the reference server's.
 *
 * @example
 * ```ts
 * import type { TemplateStatus } from 'messaging-automation/server';
 *
 * const status: TemplateStatus = 'pending';
 * ```
 */
export type TemplateStatus = 'approved' | 'pending' | 'rejected' | 'paused';
