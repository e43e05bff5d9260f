/**
 * Where the value of a template's placeholder comes from: the text itself, a property of the contact, or a property of
 * the event that started the journey. A number or a boolean becomes text, an array of strings a list with commas; a
 * send to which a value is missing fails.
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
