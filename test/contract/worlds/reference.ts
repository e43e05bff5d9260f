import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { approvedTemplate, unapprovedTemplate, type World, type WorldOptions } from '../world.js';

/** A reference server seeded as every world is, its time moved by the test alone. */
export function createSeededServer(options: WorldOptions): ReferenceServer {
  return createReferenceServer({
    ...options,
    clock: 'frozen',
    templates: [
      { id: approvedTemplate, body: 'Hello {{1}}, your order {{2}} is on its way.' },
      { id: unapprovedTemplate, body: 'Everything must go.', status: 'rejected' },
    ],
  });
}

/** How a test has a hand in the reference server, however it is reached. */
export function handsOfServer(
  server: ReferenceServer,
): Pick<World, 'apiKey' | 'inboundMessage' | 'settled' | 'advance'> {
  return {
    apiKey: server.apiKey,
    async inboundMessage(message) {
      await server.simulate.inboundMessage(message);
    },
    settled: () => server.settled(),
    advance: (milliseconds) => server.clock.advance(milliseconds),
  };
}
