// Inputs as programs have them: optional fields, fields that may be undefined, values of an interface.
import { MessagingAutomation } from 'messaging-automation';

interface Profile {
  firstName: string;
  city?: string;
  interests: readonly string[];
}

interface Order {
  readonly id: string;
  readonly lines: readonly { sku: string; count?: number }[];
}

const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1/api' });
const phone = '+15551234567';

export function give(
  profile: Profile,
  order: Order,
  optional: { city?: string },
  maybe: string | undefined,
): readonly unknown[] {
  return [
    messaging.contacts.upsert({ phone, properties: optional }),
    messaging.contacts.upsert({ phone, properties: { city: maybe, firstName: undefined } }),
    messaging.contacts.update('c1', { properties: { city: maybe } }),
    messaging.contacts.upsertMany([
      { phone, properties: { city: 'London' } },
      { phone, properties: { visits: 3 } },
      { phone },
    ]),
    messaging.events.track({ event: 'order_placed', phone, properties: order }),
    messaging.events.track({
      event: 'order_placed',
      phone,
      properties: { order, at: new Date(), city: maybe },
    }),
    messaging.contacts.upsert({ phone, properties: { ...profile } }),
    // @ts-expect-error -- a value of an interface needs a copy, { ...profile }
    messaging.contacts.upsert({ phone, properties: profile }),
    // @ts-expect-error -- JSON has no bigint
    messaging.contacts.upsert({ phone, properties: { visits: BigInt(3) } }),
    // @ts-expect-error -- a property is no object
    messaging.contacts.upsert({ phone, properties: { address: { city: 'London' } } }),
    messaging.events.track({ event: 'profile_changed', phone, properties: profile }),
    // @ts-expect-error -- null is no value of a property
    messaging.contacts.upsert({ phone, properties: { city: null } }),
    // @ts-expect-error -- a list is no object
    messaging.events.track({ event: 'order_placed', phone, properties: [order] }),
  ];
}
