export type {
  Contact,
  ContactProperties,
  PropertyValue,
  UpdateContactInput,
  UpsertContactInput,
} from './contract/contact.js';
export type { EventProperties, TrackInput, TrackResult } from './contract/event.js';
export type {
  CreatedWebhookSubscription,
  CreateWebhookInput,
  WebhookSubscription,
} from './contract/subscription.js';
export type { Template } from './contract/template.js';
export type { SendInput, SendResult } from './contract/transactional.js';
export { MessagingAutomationError } from './foundation/base-error.js';
export type { Clock } from './foundation/clock.js';
