import type { Work } from '../control/work.js';
import type { Dispatcher } from '../deliveries/dispatcher.js';
import type { Environment } from '../environment.js';
import type { Provider } from '../provider/provider.js';
import { Contacts } from './contacts.js';
import { Events } from './events.js';
import { InboundMessages } from './inbound-messages.js';
import { Subscriptions } from './subscriptions.js';
import { Transactional } from './transactional.js';

/** The service's rules, by subject. */
export interface Services {
  readonly contacts: Contacts;
  readonly transactional: Transactional;
  readonly events: Events;
  readonly subscriptions: Subscriptions;
  readonly inboundMessages: InboundMessages;
}

/** Gives each set of rules what it works with. */
export function createServices(
  environment: Environment,
  work: Work,
  dispatcher: Dispatcher,
  provider: Provider,
): Services {
  return {
    contacts: new Contacts(environment),
    transactional: new Transactional(environment, provider),
    events: new Events(environment, work),
    subscriptions: new Subscriptions(environment),
    inboundMessages: new InboundMessages(environment, dispatcher),
  };
}
