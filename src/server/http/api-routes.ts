import { operations } from '../../contract/operations.js';
import { serveOperation } from './api-request.js';
import type { Application } from './application.js';

/** Serves the endpoints of the service, each with its rule. */
export function serveApi(application: Application): void {
  serveOperation(application, operations.contacts.upsert, async ({ contacts }, { body }) => {
    const { contact, created } = await contacts.upsert(body);
    return { outcome: created ? 'created' : 'updated', result: contact };
  });
  serveOperation(application, operations.contacts.find, async ({ contacts }, { query }) => ({
    outcome: 'found',
    result: await contacts.find(query.phone),
  }));
  serveOperation(application, operations.contacts.get, async ({ contacts }, { path }) => ({
    outcome: 'found',
    result: await contacts.get(path.id),
  }));
  serveOperation(application, operations.contacts.update, async ({ contacts }, { path, body }) => ({
    outcome: 'updated',
    result: await contacts.update(path.id, body),
  }));
  serveOperation(application, operations.contacts.delete, async ({ contacts }, { path }) => ({
    outcome: 'deleted',
    result: await contacts.delete(path.id),
  }));
  serveOperation(
    application,
    operations.transactional.send,
    async ({ transactional }, { body }, requestId) => ({
      outcome: 'sent',
      result: await transactional.send(body, requestId),
    }),
  );
  serveOperation(application, operations.events.track, async ({ events }, { body }, requestId) => ({
    outcome: 'accepted',
    result: await events.track(body, requestId),
  }));
  serveOperation(application, operations.webhooks.create, async ({ subscriptions }, { body }) => ({
    outcome: 'created',
    result: await subscriptions.create(body),
  }));
  serveOperation(application, operations.webhooks.list, async ({ subscriptions }) => ({
    outcome: 'listed',
    result: await subscriptions.list(),
  }));
  serveOperation(application, operations.webhooks.delete, async ({ subscriptions }, { path }) => ({
    outcome: 'deleted',
    result: await subscriptions.delete(path.id),
  }));
  serveOperation(application, operations.templates.list, async ({ templates }) => ({
    outcome: 'listed',
    result: await templates.list(),
  }));
}
