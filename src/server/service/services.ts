import type { Template } from '../../contract/template.js';
import { ContactRules } from './contacts.js';
import type { WorkspaceContext } from './context.js';
import { EventRules } from './events.js';
import { InboundMessageRules } from './inbound-messages.js';
import { JourneyRules } from './journeys.js';
import type { Provider } from './provider.js';
import { admitRequest } from './rate-limit.js';
import { SegmentRules } from './segments.js';
import { SubscriptionRules } from './subscriptions.js';
import { TransactionalRules } from './transactional.js';

/** The service's rules for one workspace, by subject. */
export interface Services {
  readonly contacts: ContactRules;
  readonly transactional: TransactionalRules;
  readonly events: EventRules;
  readonly segments: SegmentRules;
  readonly journeys: JourneyRules;
  readonly subscriptions: SubscriptionRules;
  readonly templates: { list(): Promise<readonly Template[]> };
  readonly inboundMessages: InboundMessageRules;
  readonly rateLimit: { admit(): ReturnType<typeof admitRequest> };
}

/**
 * Creates the rules, each with those before it.
 *
 * @param wake - Starts all due deliveries of these subscriptions. Returns at once.
 */
export function createServices(
  context: WorkspaceContext,
  wake: (subscriptionIds: readonly string[]) => void,
  provider: Provider,
): Services {
  const transactional = new TransactionalRules(context, provider);
  const segments = new SegmentRules(context);
  const journeys = new JourneyRules(context, segments, transactional);
  return {
    contacts: new ContactRules(context),
    transactional,
    events: new EventRules(context, journeys),
    segments,
    journeys,
    subscriptions: new SubscriptionRules(context),
    templates: { list: () => listTemplates(context) },
    inboundMessages: new InboundMessageRules(context, wake),
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
