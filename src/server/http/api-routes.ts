import { operations } from '../../contract/operations.js';
import type { Services } from '../service/services.js';
import { listTemplates } from '../service/templates.js';
import type { Application } from './application.js';

/** The eleven endpoints of document §4, each with the rule that answers it. */
export function serveApi(application: Application, services: Services): void {
  const { contacts, transactional, events, subscriptions } = services;

  application.serve(operations.contacts.upsert, async (workspace, { body }) => {
    const { contact, created } = await contacts.upsert(workspace, body);
    return { outcome: created ? 'created' : 'updated', result: contact };
  });
  application.serve(operations.contacts.find, async (workspace, { query }) => ({
    outcome: 'found',
    result: await contacts.find(workspace, query.phone),
  }));
  application.serve(operations.contacts.get, async (workspace, { path }) => ({
    outcome: 'found',
    result: await contacts.get(workspace, path.id),
  }));
  application.serve(operations.contacts.update, async (workspace, { path, body }) => ({
    outcome: 'updated',
    result: await contacts.update(workspace, path.id, body),
  }));
  application.serve(operations.contacts.delete, async (workspace, { path }) => ({
    outcome: 'deleted',
    result: await contacts.delete(workspace, path.id),
  }));
  application.serve(operations.transactional.send, async (workspace, { body }) => ({
    outcome: 'sent',
    result: await transactional.send(workspace, body),
  }));
  application.serve(operations.events.track, async (workspace, { body }) => ({
    outcome: 'accepted',
    result: await events.track(workspace, body),
  }));
  application.serve(operations.webhooks.create, async (workspace, { body }) => ({
    outcome: 'created',
    result: await subscriptions.create(workspace, body),
  }));
  application.serve(operations.webhooks.list, async (workspace) => ({
    outcome: 'listed',
    result: await subscriptions.list(workspace),
  }));
  application.serve(operations.webhooks.delete, async (workspace, { path }) => ({
    outcome: 'deleted',
    result: await subscriptions.delete(workspace, path.id),
  }));
  application.serve(operations.templates.list, async (workspace) => ({
    outcome: 'listed',
    result: await listTemplates(workspace),
  }));
}
