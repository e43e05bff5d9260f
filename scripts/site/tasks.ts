/** A group of members on the page of a module: what they are for, and which sources hold them. */
interface Task {
  readonly title: string;
  /**
   * The beginnings of `path:Name`, with the path relative to `src`: a folder, a file, or a symbol in a file. The longest one
   * that fits decides.
   */
  readonly sources: readonly string[];
}

/** The members of each module by task, in reading order. */
const tasks: Readonly<Record<string, readonly Task[]>> = {
  'messaging-automation': [
    {
      title: 'Client',
      sources: ['client/client.ts', 'client/configuration.ts', 'client/request/headers.ts'],
    },
    { title: 'Resources', sources: ['client/resources/'] },
    { title: 'Records and inputs', sources: ['contract/'] },
    { title: 'Calls', sources: ['client/request/', 'client/call/', 'client/response/'] },
    {
      title: 'Errors',
      sources: ['client/errors/', 'foundation/base-error.ts', 'foundation/options.ts'],
    },
    { title: 'Bulk', sources: ['client/bulk/'] },
    { title: 'Idempotency keys', sources: ['client/idempotency/', 'key-value/'] },
    { title: 'Guards', sources: ['client/guards/', 'client/configuration.ts:SendGuard'] },
    { title: 'Typed workspaces', sources: ['client/definition/'] },
    { title: 'Observability', sources: ['client/observability/', 'client/response/reading.ts:Drift'] },
    {
      title: 'Transport and time',
      sources: ['client/transport/', 'foundation/clock.ts', 'foundation/fetch-function.ts'],
    },
    { title: 'Webhook signatures', sources: ['webhooks/'] },
  ],
  'messaging-automation/webhooks': [
    { title: 'Receiver', sources: ['webhooks/receiver/', 'foundation/clock.ts'] },
    { title: 'Frameworks', sources: ['webhooks/adapters/'] },
    { title: 'Events', sources: ['contract/', 'webhooks/verification/delivery.ts'] },
    { title: 'Verify by hand', sources: ['webhooks/verification/'] },
    { title: 'Duplicate deliveries', sources: ['webhooks/dedupe/', 'key-value/'] },
    {
      title: 'Errors',
      sources: [
        'foundation/base-error.ts',
        'foundation/options.ts',
        'webhooks/receiver/errors.ts',
        'webhooks/verification/verification-error.ts',
      ],
    },
    { title: 'Sign and test', sources: ['webhooks/test-delivery/', 'webhooks/verification/sign.ts'] },
    { title: 'Find out why a signature fails', sources: ['webhooks/diagnose/'] },
  ],
  'messaging-automation/server': [
    {
      title: 'Server',
      sources: [
        'server/reference-server.ts',
        'foundation/options.ts',
        'server/options.ts',
        'server/http/node-edge.ts',
        'server/model/log.ts',
      ],
    },
    {
      title: 'Workspaces',
      sources: [
        'server/subjects/reference-workspace.ts',
        'server/subjects/workspaces.ts',
        'server/subjects/keys.ts',
      ],
    },
    { title: 'A contact in a test', sources: ['server/subjects/test-contact/'] },
    { title: 'Clock', sources: ['server/time/'] },
    {
      title: 'Simulate',
      sources: [
        'server/subjects/simulate.ts',
        'server/service/inbound-message',
        'server/service/provider.ts',
      ],
    },
    {
      title: 'Contacts, sends, events and quota',
      sources: ['server/subjects/', 'server/model/records.ts', 'server/model/page.ts', 'contract/event.ts'],
    },
    {
      title: 'Journal',
      sources: [
        'server/subjects/journal/',
        'server/model/journal-entry.ts',
        'server/inspection/',
        'contract/operation-name.ts',
      ],
    },
    {
      title: 'Subscriptions and deliveries',
      sources: [
        'server/subjects/deliveries/deliveries.ts',
        'server/subjects/receiver.ts',
        'server/subjects/listeners.ts',
        'server/subjects/managed-webhooks.ts',
        'server/subjects/subscriptions.ts',
        'server/model/environment.ts',
        'server/model/listener.ts',
        'server/model/receiver.ts',
        'server/model/records.ts:Attempt',
        'server/model/records.ts:Delivery',
        'server/service/address-policy.ts',
      ],
    },
    {
      title: 'Find out why a delivery failed',
      sources: ['server/subjects/deliveries/explanation/', 'server/model/remedy.ts'],
    },
    { title: 'Faults', sources: ['server/faults/', 'server/subjects/faults.ts', 'server/model/fault'] },
    {
      title: 'Templates, segments and journeys',
      sources: [
        'server/subjects/journeys.ts',
        'server/subjects/segments.ts',
        'server/subjects/templates.ts',
        'server/model/records.ts:Journey',
        'server/model/records.ts:Template',
      ],
    },
    {
      title: 'Spec gaps',
      sources: ['server/subjects/spec-gaps.ts', 'server/model/spec-gaps.ts'],
    },
    {
      title: 'Seeds',
      sources: [
        'server/seed/',
        'server/subjects/listeners.ts:ListenerSeed',
        'server/service/subscriptions.ts',
      ],
    },
    {
      title: 'State and stores',
      sources: [
        'server/workspace/state-schema.ts',
        'server/subjects/workspace.ts',
        'server/state/',
        'server/store/',
      ],
    },
  ],
  'messaging-automation/msw': [{ title: 'Handlers', sources: ['msw/'] }],
  'messaging-automation/vitest': [{ title: 'Fixtures', sources: ['vitest/'] }],
  'messaging-automation/undici': [{ title: 'Transport', sources: ['undici/', 'client/transport/'] }],
  'messaging-automation/bulk': [{ title: 'Checkpoints', sources: ['bulk/'] }],
  'messaging-automation/conformance': [
    { title: 'Check a deployment', sources: ['conformance/', 'foundation/clock.ts'] },
  ],
  'messaging-automation/postgres': [{ title: 'Store', sources: ['postgres/'] }],
};

/** Returns the titles of a module's groups in reading order. */
export function taskTitles(module: string): readonly string[] {
  return (tasks[module] ?? []).map(({ title }) => title);
}

/** Returns the group of a symbol, or undefined if it falls in none. `path` is the file that declares it, relative to `src`. */
export function taskOf(module: string, path: string, name: string): string | undefined {
  const fitting = (tasks[module] ?? []).flatMap(({ title, sources }) =>
    sources
      .filter((source) => `${path}:${name}`.startsWith(source))
      .map((source) => ({ title, length: source.length })),
  );
  return fitting.toSorted((a, b) => b.length - a.length)[0]?.title;
}
