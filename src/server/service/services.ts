import type { Template } from '../../contract/template.js';
import { createContacts } from './contacts.js';
import type { WorkspaceContext } from './context.js';
import { createEvents } from './events.js';
import { createInboundMessages } from './inbound-messages.js';
import { createJourneys } from './journeys.js';
import type { Provider } from './provider.js';
import { admitRequest } from './rate-limit.js';
import { createSegments } from './segments.js';
import { createSubscriptions } from './subscriptions.js';
import { createTransactional } from './transactional.js';

/** The service's rules for one workspace, by subject. */
export type Services = ReturnType<typeof createServices>;

/**
 * Creates the rules with their dependencies.
 *
 * @param wake - Starts all due deliveries of these subscriptions. Returns at once.
 */
export function createServices(
  context: WorkspaceContext,
  wake: (subscriptionIds: readonly string[]) => void,
  provider: Provider,
) {
  const transactional = createTransactional(context, provider);
  const segments = createSegments(context);
  const journeys = createJourneys(context, segments, transactional);
  return {
    contacts: createContacts(context),
    transactional,
    events: createEvents(context, journeys),
    segments,
    journeys,
    subscriptions: createSubscriptions(context),
    templates: { list: () => listTemplates(context) },
    inboundMessages: createInboundMessages(context, wake),
    rateLimit: { admit: () => admitRequest(context) },
  };
}

/** The rules of GET /v1/templates. */
async function listTemplates({ store, gaps }: WorkspaceContext): Promise<readonly Template[]> {
  const templates = await store.templates.list();
  return templates.map((template) =>
    gaps().templateRecord === 'id' ? { id: template.id } : { ...template },
  );
}
