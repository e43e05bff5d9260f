import {
  createReferenceServer,
  type ReferenceServerOptions,
  type ReferenceWorkspace,
  type TemplateSeed,
} from 'messaging-automation/server';
import { ManualClock } from '../../server/support/manual-clock.js';
import {
  approvedTemplate,
  type Environment,
  type EnvironmentOptions,
  unapprovedTemplate,
} from '../environment.js';

/** The templates of every environment. */
export const templates: readonly TemplateSeed[] = [
  { id: approvedTemplate, body: 'Hello {{1}}, your order {{2}} is on its way.' },
  { id: unapprovedTemplate, body: 'Everything must go.', status: 'rejected' },
];

/** What a test does in a workspace of the reference server however it is reached. Only the test moves its time, and the machine's. */
export const fixturesIn = (workspace: ReferenceWorkspace, machine: ManualClock) => ({
  apiKey: workspace.apiKey,
  async inboundMessage(message: Parameters<Environment['inboundMessage']>[0]) {
    await workspace.simulate.inboundMessage(message);
  },
  settled: () => workspace.settled(),
  async advance(milliseconds: number) {
    // The machine's time bounds attempts under way; it ends those that nobody responds before the server waits for them.
    machine.pass(milliseconds);
    await workspace.clock.advance(milliseconds);
  },
});

/** A reference server seeded as every environment is, its time moved by the test alone. */
export function createSeededServer(options: EnvironmentOptions, more: ReferenceServerOptions = {}) {
  const machine = new ManualClock();
  const server = createReferenceServer({
    ...options,
    ...more,
    clock: 'frozen',
    systemClock: machine,
    templates,
  });
  const fixtures = { ...fixturesIn(server, machine), otherApiKey: server.workspace().apiKey };
  return { server, fixtures };
}
