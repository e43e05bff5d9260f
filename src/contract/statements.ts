import { contactStatements } from './contact.js';
import { eventStatements } from './event.js';
import { webhookStatements } from './subscription.js';
import { templateStatements } from './template.js';
import { transactionalStatements } from './transactional.js';

/**
 * The statements of the service's document that the contract suite and the conformance check test, each with its section,
 * in the document's order. The ledger (docs/contract.md) names the same statements, and a test compares both.
 */
export const statements = {
  contactId: '§2 Contact: id is a string that the service assigns',
  propertyTypes: '§2 Contact: a property is a string, a number, a boolean or an array of strings',
  phoneProperty: '§2 Contact: properties.phone is present on create',
  propertyNames: '§2 Contact: property names other than phone are free-form',
  deletionRemovesProperties: '§2 Contact: deleting a contact removes its properties',
  templateId: '§2 Template: an id is a string',
  subscriptionFields:
    '§2 Webhook subscription: id, url, events, secret, enabled and createdAt, each of its type',
  subscriptionCreatedAt: '§2 Webhook subscription: createdAt is an integer of epoch milliseconds',
  subscriptionEnabled: '§3 a subscription that is delivered to carries enabled: true',
  ...contactStatements,
  ...transactionalStatements,
  ...eventStatements,
  ...webhookStatements,
  ...templateStatements,
  keyAccepted: '§5 a request with Authorization: Bearer <API_KEY> is accepted',
  keyRequired: '§5 no endpoint accepts a request without a key',
  keyValid: '§5 a key that is not valid is refused',
  contactsOwned: '§5 the key is scoped to a workspace, which owns its contacts',
  contactsNotUpdated: '§5 a key of another workspace updates no contact',
  contactsNotDeleted: '§5 a key of another workspace deletes no contact',
  contactsNotSentTo: '§5 a key of another workspace sends to no contact',
  eventsOwned: '§5 the workspace owns its events',
  subscriptionsOwned: '§5 the workspace owns its subscriptions',
  subscriptionsNotDeleted: '§5 a key of another workspace deletes no subscription',
  messageReceived: '§6 message.received: a contact sent the workspace a message',
  optedIn: '§6 contact.opted_in: a contact consented by a start keyword',
  optedOut: '§6 contact.opted_out: a contact withdrew consent by a stop keyword',
  deliveryRequest: "§6 Delivery: an HTTP POST with a JSON body to the subscription's url",
  deliveryOfSubscribed: '§6 Delivery: only subscribed events are sent',
  deliveryToEach: '§6 Delivery: every subscription to the event gets it',
  deliveryBody: '§6 Delivery: event, workspaceId, timestamp and data',
  deliveryTimestamp: '§6 Delivery: timestamp is ISO 8601, UTC, with milliseconds',
  messageData: '§6 message.received: the shape of its data',
  deliveryEnds: '§6 Delivery: nothing after the subscription was deleted',
  signatureHeader: '§6 Signature: every delivery carries X-Service-Signature',
  signature: '§6 Signature: hexadecimal HMAC-SHA256 of the raw body, keyed with the secret',
  signatureDecides: '§6 Signature: the receiver trusts the payload only when they match',
  signatureOwnSecret: '§6 Signature: each subscription has its own secret',
  signatureInsteadOfKey: '§6 Signature: a delivery is signed, and does not carry the API key',
  trackedNotDelivered: '§6 events from POST /v1/events are not delivered',
  sendUnapproved: '§7 send_failed: the template is not approved',
  sendBadVariables: '§7 send_failed: bad variables',
  sendProviderIssue: '§7 send_failed: an issue of the provider',
  quotaThenCredits: '§8 each send counts against the quota, then against the add-on credits',
  quotaHolds: '§8 sends made at once spend no more than there is',
  deliveryAcknowledged: '§8 a delivery that gets any 2xx is not retried',
  deliveryRetries: '§8 a failed delivery is retried twice, and no more',
  retryThatSucceeds: '§8 a retry that succeeds is the last',
  retryBackoff: '§8 retries wait, with backoff',
  retrySigned: '§8 a retry is signed, with the bytes of the first attempt',
  deliveryTimeout: '§8 no response within 5 seconds is a failed delivery',
  deliveryUnreachable: '§8 a connection that fails is a failed delivery',
  deliveryRedirect: '§8 a redirect is a failed delivery, and is never followed',
  retryOfDeleted: '§8 a deleted subscription gets no retry',
} as const;

/** One of the statements. */
export type Statement = (typeof statements)[keyof typeof statements];
