import type { WebhookEvent } from '../../contract/delivery.js';
import { sha256 } from '../crypto/digests.js';

/**
 * The group of the deliveries of a contact: 72 lowercase letters, digits and a hyphen, which each queue takes as the name of a group. It
 * depends on the secret and the workspace, so that no sender can hold up another sender's contacts.
 *
 * @param scope - The secret that verified the event, as JSON.
 * @returns `undefined` for an event of no contact.
 */
export function contactGroup(event: WebhookEvent, scope: unknown): string | undefined {
  const { contactId } = event.data;
  if (typeof contactId !== 'string' || contactId === '') return undefined;
  return `contact-${sha256(JSON.stringify([scope, event.workspaceId, contactId]))}`;
}
