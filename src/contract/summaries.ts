import type { NameInTable } from './operations.js';

/** What each operation does, in a sentence. It stands apart from `operations` because the client does not need it. */
export const summaries: Readonly<Record<NameInTable, string>> = {
  'contacts.upsert': 'Creates the contact with this phone, or updates it.',
  'contacts.find': 'Finds the contact with this phone.',
  'contacts.get': 'Returns the contact with this id.',
  'contacts.update': 'Changes the properties sent; all others stay as they are.',
  'contacts.delete': 'Deletes the contact with its properties, events and segment memberships, for good.',
  'transactional.send':
    'Sends an approved template message to one existing contact; counts against the quota.',
  'events.track': 'Records an event for a contact; processing is asynchronous.',
  'webhooks.create': 'Creates a subscription; the answer is the one place that shows its secret.',
  'webhooks.list': 'Lists the subscriptions.',
  'webhooks.delete': 'Deletes the subscription with this id.',
  'templates.list': 'Lists the templates, whose ids are used as templateId.',
};
