import { Contacts } from './contacts.js';
import type { WorkspaceContext } from './context.js';
import { Events } from './events.js';
import { type Deliveries, InboundMessages } from './inbound-messages.js';
import { Journeys } from './journeys.js';
import type { Provider } from './provider.js';
import { RateLimit } from './rate-limit.js';
import { Segments } from './segments.js';
import { Subscriptions } from './subscriptions.js';
import { Templates } from './templates.js';
import { Transactional } from './transactional.js';

/** The service's rules for one workspace, by subject. */
export type Services = ReturnType<typeof createServices>;

/** Creates the rules with their dependencies. */
export function createServices(context: WorkspaceContext, deliveries: Deliveries, provider: Provider) {
  const transactional = new Transactional(context, provider);
  const segments = new Segments(context);
  const journeys = new Journeys(context, segments, transactional);
  return {
    contacts: new Contacts(context),
    transactional,
    events: new Events(context, journeys),
    segments,
    journeys,
    subscriptions: new Subscriptions(context),
    templates: new Templates(context),
    inboundMessages: new InboundMessages(context, deliveries),
    rateLimit: new RateLimit(context),
  };
}
