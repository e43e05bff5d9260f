import type { CallPromise, MessagingAutomation, RequestOptions } from 'messaging-automation';
import { phone } from './service.js';

type Call = (messaging: MessagingAutomation, options?: RequestOptions) => CallPromise<unknown>;

/** Every operation that does no more when sent twice. */
export const repeatable: Readonly<Record<string, Call>> = {
  'contacts.upsert': ({ contacts }, options) => contacts.upsert({ phone }, options),
  'contacts.find': ({ contacts }, options) => contacts.find(phone, options),
  'contacts.get': ({ contacts }, options) => contacts.get('c1', options),
  'contacts.update': ({ contacts }, options) => contacts.update('c1', { properties: { a: 1 } }, options),
  'contacts.delete': ({ contacts }, options) => contacts.delete('c1', options),
  'webhooks.list': ({ webhooks }, options) => webhooks.list(options),
  'webhooks.delete': ({ webhooks }, options) => webhooks.delete('w1', options),
  'templates.list': ({ templates }, options) => templates.list(options),
};

/** Every operation that must not be sent twice. */
export const once: Readonly<Record<string, Call>> = {
  'transactional.send': ({ transactional }, options) =>
    transactional.send({ phone, templateId: 'order_update' }, options),
  'events.track': ({ events }, options) => events.track({ event: 'order_placed', phone }, options),
  'webhooks.create': ({ webhooks }, options) =>
    webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] }, options),
};

/** All eleven. */
export const everyCall: Readonly<Record<string, Call>> = { ...repeatable, ...once };
