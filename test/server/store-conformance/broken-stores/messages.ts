import { altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';

export const brokenMessages: readonly BrokenStore[] = [
  [
    'looks whether the sender is known before it adds them',
    'messages: make their sender a contact, once',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const known = await kept.contacts.findByPhone(message.contact.phone);
          return { ...(await kept.receiveMessage(message)), created: known === undefined };
        },
      },
    })),
  ],
  [
    'replaces the properties of the sender',
    'messages: leave the properties of a sender who is known',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const received = await kept.receiveMessage(message);
          return {
            ...received,
            ...(await kept.contacts.upsert(message.contact, 'replace')),
            created: received.created,
          };
        },
      },
    })),
  ],
  [
    'leaves a sender who is known as they are',
    'messages: merge the properties that they give their sender',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const known = await kept.contacts.findByPhone(message.contact.phone);
          const properties = known === undefined ? message.contact.properties : {};
          return kept.receiveMessage({ ...message, contact: { ...message.contact, properties } });
        },
      },
    })),
  ],
  [
    'compares a consent with one that another message changes',
    'messages: change a consent together with the deliveries that say so, and once',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const before = await kept.contacts.findByPhone(message.contact.phone);
          const changed = message.consent !== undefined && message.consent !== before?.consent;
          return kept.receiveMessage({ ...message, compose: (contact) => message.compose(contact, changed) });
        },
      },
    })),
  ],
  [
    'composes a message of the sender as they were',
    'messages: are composed of the sender as the message leaves them',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const before = await kept.contacts.findByPhone(message.contact.phone);
          const consent = before?.consent ?? 'unknown';
          return kept.receiveMessage({
            ...message,
            compose: (contact, changed) => message.compose({ ...contact, consent }, changed),
          });
        },
      },
    })),
  ],
  [
    'receives a message in two steps',
    'messages: change nothing where they cannot be composed',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const { created } = await kept.contacts.upsert(message.contact, 'merge');
          return { ...(await kept.receiveMessage(message)), created };
        },
      },
    })),
  ],
  [
    'forgets the consent of a contact whose properties are replaced',
    'messages: keep a consent that properties change around',
    altered((kept) => ({
      contacts: {
        async upsert(contact, existing) {
          const known = await kept.contacts.findByPhone(contact.phone);
          if (known === undefined || existing === 'merge') return kept.contacts.upsert(contact, existing);
          await kept.deleteContact(known.id);
          return {
            ...(await kept.contacts.upsert({ ...contact, newId: known.id }, existing)),
            created: false,
          };
        },
      },
    })),
  ],
  [
    'does not ask whether a subscription is enabled',
    'messages: put one delivery of each event into the outbox for each enabled subscription that wants it',
    altered((kept) => ({
      subscriptions: {
        create: (subscription) => kept.subscriptions.create({ ...subscription, enabled: true }),
      },
    })),
  ],
  [
    'names a subscription for each of its deliveries',
    'messages: name a subscription once, however many of their events it wants',
    altered((kept) => ({
      root: {
        async receiveMessage(message) {
          const before = new Set((await kept.outbox.list()).map(({ id }) => id));
          const received = await kept.receiveMessage(message);
          const added = (await kept.outbox.list()).filter(({ id }) => !before.has(id));
          return { ...received, subscriptionIds: added.map(({ subscriptionId }) => subscriptionId) };
        },
      },
    })),
  ],
];
