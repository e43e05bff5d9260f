// A small application, to be bundled and minified: it throws and catches the errors of the copy it carries.
import * as sdk from 'messaging-automation';
import * as webhooks from 'messaging-automation/webhooks';

/** The error classes of this copy, by the names they are exported under. */
export const errorClasses = Object.fromEntries(
  Object.entries({ ...sdk, ...webhooks }).filter(([name]) => name.endsWith('Error')),
);

/** What the application does with an error, whichever copy it comes from. */
export function handle(error) {
  if (error instanceof sdk.QuotaExceededError) return 'buy more';
  if (error instanceof sdk.NotFoundError) return 'create the contact first';
  if (error instanceof sdk.ApiError) return `refused with ${error.status}`;
  if (error instanceof webhooks.WebhookVerificationError) return 'respond with 400';
  if (error instanceof sdk.MessagingAutomationError) return 'report it';
  return 'not ours';
}

export const { MessagingAutomation } = sdk;
export const { unwrapWebhook } = webhooks;
