/**
 * The status of a template at the chat provider. Only an approved template can be sent. The service's document names only
 * `approved`; the reference server adds the others.
 */
export type TemplateStatus = 'approved' | 'pending' | 'rejected' | 'paused';
