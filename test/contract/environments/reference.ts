import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  type TemplateSeed,
} from 'messaging-automation/server';
import { ManualClock } from '../../server/support/manual-clock.js';
import {
  approvedTemplate,
  type Environment,
  type EnvironmentOptions,
  unapprovedTemplate,
} from '../environment.js';

/** A reference server, and the hands that a test has in it however it is reached. */
export interface SeededServer {
  readonly server: ReferenceServer;
  readonly hands: Pick<Environment, 'apiKey' | 'otherApiKey' | 'inboundMessage' | 'settled' | 'advance'>;
}

/** The templates of every environment. */
export const templates: readonly TemplateSeed[] = [
  { id: approvedTemplate, body: 'Hello {{1}}, your order {{2}} is on its way.' },
  { id: unapprovedTemplate, body: 'Everything must go.', status: 'rejected' },
];

/** A reference server seeded as every environment is, its time moved by the test alone. */
export function createSeededServer(
  options: EnvironmentOptions,
  more: ReferenceServerOptions = {},
): SeededServer {
  const machine = new ManualClock();
  const server = createReferenceServer({
    ...options,
    ...more,
    clock: 'frozen',
    systemClock: machine,
    templates,
  });
  const hands: SeededServer['hands'] = {
    apiKey: server.apiKey,
    otherApiKey: server.workspace().apiKey,
    async inboundMessage(message) {
      await server.simulate.inboundMessage(message);
    },
    settled: () => server.settled(),
    async advance(milliseconds) {
      // The machine's time bounds attempts under way; it ends those that nobody answers before the server waits for them.
      machine.pass(milliseconds);
      await server.clock.advance(milliseconds);
    },
  };
  return { server, hands };
}
