import { operations } from '../../contract/operations.js';
import type { Application } from './application.js';

/** The eleven endpoints of document §4, each with the rule that answers it. */
export function serveApi(application: Application): void {
  application.serve(operations.contacts.upsert, async ({ contacts }, { body }) => {
    const { contact, created } = await contacts.upsert(body);
    return { outcome: created ? 'created' : 'updated', result: contact };
  });
  application.serve(operations.contacts.find, async ({ contacts }, { query }) => ({
    outcome: 'found',
    result: await contacts.find(query.phone),
  }));
  application.serve(operations.contacts.get, async ({ contacts }, { path }) => ({
    outcome: 'found',
    result: await contacts.get(path.id),
  }));
  application.serve(operations.contacts.update, async ({ contacts }, { path, body }) => ({
    outcome: 'updated',
    result: await contacts.update(path.id, body),
  }));
  application.serve(operations.contacts.delete, async ({ contacts }, { path }) => ({
    outcome: 'deleted',
    result: await contacts.delete(path.id),
  }));
  application.serve(operations.transactional.send, async ({ transactional }, { body }) => ({
    outcome: 'sent',
    result: await transactional.send(body),
  }));
  application.serve(operations.events.track, async ({ events }, { body }) => ({
    outcome: 'accepted',
    result: await events.track(body),
  }));
  application.serve(operations.webhooks.create, async ({ subscriptions }, { body }) => ({
    outcome: 'created',
    result: await subscriptions.create(body),
  }));
  application.serve(operations.webhooks.list, async ({ subscriptions }) => ({
    outcome: 'listed',
    result: await subscriptions.list(),
  }));
  application.serve(operations.webhooks.delete, async ({ subscriptions }, { path }) => ({
    outcome: 'deleted',
    result: await subscriptions.delete(path.id),
  }));
  application.serve(operations.templates.list, async ({ templates }) => ({
    outcome: 'listed',
    result: await templates.list(),
  }));
}
