/**
 * Where the value of a placeholder comes from: fixed text, a property of the contact, or a property of the event that started
 * the journey. Numbers and booleans become text, an array of strings becomes a comma-separated list. The send fails if the
 * property is missing.
 *
 * @example
 * ```ts
 * import type { VariableSource } from 'messaging-automation/server';
 *
 * const variables: Record<string, VariableSource> = {
 *   '1': { contact: 'firstName' },
 *   '2': { event: 'orderId' },
 *   '3': 'https://example.com/help',
 * };
 * ```
 */
export type VariableSource = string | { readonly contact: string } | { readonly event: string };
